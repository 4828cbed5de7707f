//! Who came through the gate, and for which agent they speak.
//!
//! The body of a request never says who is calling. The owner is a person; whoever has another token is that token's
//! holder; and a holder may have several agents, of which the header `Baton-Agent` names one. Such an id has no colon,
//! while ids that were found by looking at processes always have one: nobody poses as a harness or as a person.

use std::{path::PathBuf, sync::Arc};

use axum::http::{HeaderMap, HeaderName};
use baton_app::{Caller, Failure, Rights, bus::SERVER};
use baton_core::{
    code::ErrorCode,
    ids::{AgentId, BROADCAST},
    limits,
    process::SessionKind,
    room::Actor,
};

use super::names::only;
use crate::tokens::{OPERATOR, Role, Token};

/// Names the agent that speaks.
pub(crate) const AGENT_HEADER: HeaderName = HeaderName::from_static("baton-agent");

/// Whoever came through the gate.
#[derive(Clone, Debug)]
pub(crate) enum Principal {
    /// The owner, in a browser that logged in.
    Owner,
    /// The holder of a token.
    Holder(Arc<Token>),
}

/// What there is to know about this server's own place and owner.
#[derive(Clone, Debug)]
pub(crate) struct Home {
    /// The owner, as they are called over HTTP.
    pub(crate) owner: AgentId,
    /// Where relative paths start.
    pub(crate) cwd: PathBuf,
}

impl Principal {
    /// What they may do.
    pub(crate) fn rights(&self) -> Rights {
        match self {
            Self::Owner => Rights::Operator,
            Self::Holder(token) => token.role.rights(),
        }
    }

    /// Who they are when they speak for no agent.
    fn own_id(&self, home: &Home) -> AgentId {
        let made = |text: String| text.parse().expect("the words of a token's name make an id");
        match self {
            Self::Owner => home.owner.clone(),
            Self::Holder(token) if token.name.as_str() == OPERATOR => home.owner.clone(),
            Self::Holder(token) if token.role == Role::Operator => made(format!("human:{}:http", token.name)),
            Self::Holder(token) => made(format!("token:{}", token.name)),
        }
    }

    fn bound_to(&self) -> Option<&AgentId> {
        match self {
            Self::Owner => None,
            Self::Holder(token) => token.agent.as_ref(),
        }
    }

    fn is_person(&self) -> bool {
        self.rights() == Rights::Operator
    }
}

/// The caller of a command: the agent that `Baton-Agent` names, the one that the token is bound to, or the holder.
pub(crate) fn speaker(principal: &Principal, headers: &HeaderMap, home: &Home) -> Result<Caller, Failure> {
    let named = only(headers, AGENT_HEADER)?.map(agent).transpose()?;
    let agent = match (named, principal.bound_to()) {
        (Some(named), Some(bound)) if named != *bound => {
            let message = format!("This token speaks for {bound} and for nobody else.");
            return Err(Failure::new(ErrorCode::SourceMismatch, message).with("agent", bound.as_str()));
        }
        (named, bound) => named.or_else(|| bound.cloned()),
    };
    let actor = match agent {
        Some(agent_id) => Actor { agent_id, process: None, session_kind: SessionKind::McpHarness, overridden: true },
        None => Actor {
            agent_id: principal.own_id(home),
            process: None,
            session_kind: if principal.is_person() { SessionKind::Human } else { SessionKind::McpHarness },
            overridden: false,
        },
    };
    Ok(Caller::new(actor, home.cwd.clone()).with_rights(principal.rights()))
}

fn agent(text: &str) -> Result<AgentId, Failure> {
    let shown: String = text.chars().take(limits::SHOWN_INPUT_CHARS).collect();
    let agent: AgentId = text.parse().map_err(|error| {
        Failure::new(ErrorCode::InvalidInput, format!("Baton-Agent: {error}.")).with("field", "Baton-Agent")
    })?;
    if agent.as_str().contains(':') || [SERVER, BROADCAST].contains(&agent.as_str()) {
        let message = format!("{shown:?} is the id of a process, a person or the bus, which cannot be chosen.");
        let next = "Choose an id without a colon, like worker-a.";
        return Err(Failure::new(ErrorCode::SourceMismatch, message).with("agent", shown).advising(next));
    }
    Ok(agent)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use baton_core::time::Timestamp;

    use super::*;
    use crate::secret::Digest;

    fn holder(name: &str, role: Role, agent: Option<&str>) -> Principal {
        let agent = agent.map(|agent| agent.parse().unwrap());
        let (name, created_at) = (name.parse().unwrap(), Timestamp::from_millis(0));
        Principal::Holder(Arc::new(Token { name, role, agent, created_at, sha256: Digest::of("") }))
    }

    fn speaks(principal: &Principal, header: Option<&'static str>) -> Result<(String, SessionKind, Rights), ErrorCode> {
        let headers = HeaderMap::from_iter(header.map(|agent| (AGENT_HEADER, HeaderValue::from_static(agent))));
        let home = Home { owner: "human:ana:http".parse().unwrap(), cwd: PathBuf::from("/") };
        let caller = speaker(principal, &headers, &home).map_err(|failure| failure.code)?;
        let actor = caller.actor();
        assert!(actor.process.is_none());
        Ok((actor.agent_id.to_string(), actor.session_kind, caller.rights()))
    }

    #[test]
    fn an_operator_is_a_person_and_another_holder_is_its_token() {
        use SessionKind::{Human, McpHarness};
        let owner = ("human:ana:http".to_owned(), Human, Rights::Operator);
        assert_eq!(speaks(&Principal::Owner, None), Ok(owner.clone()));
        assert_eq!(speaks(&holder("operator", Role::Operator, None), None), Ok(owner));
        let bob = ("human:bob:http".to_owned(), Human, Rights::Operator);
        assert_eq!(speaks(&holder("bob", Role::Operator, None), None), Ok(bob));
        let ci = ("token:ci".to_owned(), McpHarness, Rights::Viewer);
        assert_eq!(speaks(&holder("ci", Role::Viewer, None), None), Ok(ci));
    }

    #[test]
    fn a_holder_speaks_for_agents_of_its_own_and_a_bound_one_for_that_agent_alone() {
        let worker = |rights| ("worker-a".to_owned(), SessionKind::McpHarness, rights);
        let free = holder("ci", Role::Agent, None);
        assert_eq!(speaks(&free, Some("worker-a")), Ok(worker(Rights::Agent)));
        assert_eq!(speaks(&Principal::Owner, Some("worker-a")), Ok(worker(Rights::Operator)));
        for taken in ["codex:9b22", "bus", "broadcast"] {
            assert_eq!(speaks(&free, Some(taken)), Err(ErrorCode::SourceMismatch));
        }
        assert_eq!(speaks(&free, Some("a b")), Err(ErrorCode::InvalidInput));
        let bound = holder("ci", Role::Agent, Some("worker-a"));
        for header in [None, Some("worker-a")] {
            assert_eq!(speaks(&bound, header), Ok(worker(Rights::Agent)));
        }
        assert_eq!(speaks(&bound, Some("worker-b")), Err(ErrorCode::SourceMismatch));
    }
}
