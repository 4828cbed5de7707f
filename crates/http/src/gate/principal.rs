//! Who came through the gate, and for which agent they speak.
//!
//! The body of a request never says who is calling. The owner is a person; whoever has another token is that token's
//! holder; and a holder may have several agents, of which the header `Baton-Agent` names one. Such an id has no colon,
//! while ids that were found by looking at processes always have one: nobody poses as a harness or as a person.

use std::{path::PathBuf, sync::Arc};

use axum::http::{HeaderMap, HeaderName};
use baton_app::{Caller, Failure, Rights, bus::check_chosen};
use baton_core::{
    code::ErrorCode,
    ids::AgentId,
    process::SessionKind,
    room::{Actor, IdOrigin},
};

use super::names::only;
use crate::{
    login::{Admitted, Login},
    secret::Digest,
    tokens::{OPERATOR, Role, Token},
};

/// The name of a viewer in a browser. No token has a colon in its name.
const VIEWER: &str = "browser:viewer";
/// Digits of a cookie's hash that tell browsers apart.
const BROWSER_DIGITS: usize = 12;

/// Names the agent that speaks.
pub(crate) const AGENT_HEADER: HeaderName = HeaderName::from_static("baton-agent");

/// Whoever came through the gate.
#[derive(Clone, Debug)]
pub(crate) enum Principal {
    /// The owner or a viewer, in a browser that logged in.
    Browser(Login),
    /// The holder of a token.
    Holder(Arc<Token>),
}

impl Principal {
    /// What they may do.
    pub(crate) fn rights(&self) -> Rights {
        match self {
            Self::Browser(login) => login.admitted.rights(),
            Self::Holder(token) => token.role.rights(),
        }
    }

    /// Their rights under an id. A principal that speaks for an agent has an agent's rights, whatever its own are.
    fn rights_as(&self, origin: IdOrigin) -> Rights {
        match origin {
            IdOrigin::Found => self.rights(),
            IdOrigin::Chosen | IdOrigin::Bound | IdOrigin::Override => self.rights().min(Rights::Agent),
        }
    }

    /// Who they are when they speak for no agent.
    fn own_id(&self, owner: &AgentId) -> AgentId {
        let made = |text: String| text.parse().expect("the words of a token's name make an id");
        match self {
            Self::Browser(Login { admitted: Admitted::Owner, .. }) => owner.clone(),
            Self::Browser(Login { admitted: Admitted::Viewer, .. }) => made(VIEWER.to_owned()),
            Self::Holder(token) if token.role == Role::Operator && token.name.as_str() == OPERATOR => owner.clone(),
            // Whatever the token is called: it is not the owner, and is told from the owner.
            Self::Holder(token) if token.role == Role::Operator => made(format!("human:{}:token", token.name)),
            Self::Holder(token) => made(format!("token:{}", token.name)),
        }
    }

    /// Tells them from others who come through the gate. All browsers of the owner are the owner.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Browser(Login { admitted: Admitted::Owner, .. }) => OPERATOR,
            Self::Browser(Login { admitted: Admitted::Viewer, .. }) => VIEWER,
            Self::Holder(token) => token.name.as_str(),
        }
    }

    /// The name of the one token or login that they came with.
    pub(super) fn credential_name(&self) -> Arc<str> {
        match self {
            Self::Browser(login) => format!("browser:{:.BROWSER_DIGITS$}", login.digest.to_hex()).into(),
            Self::Holder(token) => token.name.as_str().into(),
        }
    }

    /// The hash of what they showed.
    pub(super) fn digest(&self) -> &Digest {
        match self {
            Self::Browser(login) => &login.digest,
            Self::Holder(token) => &token.sha256,
        }
    }

    pub(super) fn bound_to(&self) -> Option<&AgentId> {
        match self {
            Self::Browser(_) => None,
            Self::Holder(token) => token.agent.as_ref(),
        }
    }

    /// Whether it is a browser, which can log out.
    pub(crate) fn is_browser(&self) -> bool {
        matches!(self, Self::Browser(_))
    }

    fn is_person(&self) -> bool {
        self.rights() == Rights::Operator
    }
}

/// The agent that is spoken for: the one that `Baton-Agent` names, or the one that the token is bound to.
pub(crate) fn spoken_for(principal: &Principal, headers: &HeaderMap) -> Result<Option<AgentId>, Failure> {
    let named = only(headers, AGENT_HEADER)?.map(agent).transpose()?;
    match (named, principal.bound_to()) {
        (Some(named), Some(bound)) if named != *bound => {
            let message = format!("This token speaks for {bound} and for nobody else.");
            Err(Failure::new(ErrorCode::SourceMismatch, message).with("agent", bound.as_str()))
        }
        (named, bound) => Ok(named.or_else(|| bound.cloned())),
    }
}

/// The caller of a command: the agent that is spoken for, or the holder. Where it works means nothing here.
pub(crate) fn speaker(principal: &Principal, headers: &HeaderMap, owner: &AgentId) -> Result<Caller, Failure> {
    let agent = spoken_for(principal, headers)?;
    let actor = match agent {
        Some(agent_id) => {
            let found = Actor::found(agent_id.clone(), None, SessionKind::McpHarness);
            if principal.bound_to().is_some() { found.bound_to(agent_id) } else { found.choosing(agent_id) }
        }
        None => {
            let kind = if principal.is_person() { SessionKind::Human } else { SessionKind::McpHarness };
            Actor::found(principal.own_id(owner), None, kind)
        }
    }
    .by_way_of(principal.name());
    let rights = principal.rights_as(actor.origin);
    Ok(Caller::new(actor, PathBuf::new()).with_rights(rights))
}

fn agent(text: &str) -> Result<AgentId, Failure> {
    let agent: AgentId = text.parse().map_err(|error| {
        Failure::new(ErrorCode::InvalidInput, format!("Baton-Agent: {error}.")).with("field", "Baton-Agent")
    })?;
    check_chosen(&agent)?;
    Ok(agent)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use baton_core::time::Timestamp;

    use super::*;

    fn holder(name: &str, role: Role, agent: Option<&str>) -> Principal {
        let agent = agent.map(|agent| agent.parse().unwrap());
        let (name, created_at) = (name.parse().unwrap(), Timestamp::from_millis(0));
        Principal::Holder(Arc::new(Token { name, role, agent, created_at, sha256: Digest::of("") }))
    }

    fn browser(admitted: Admitted) -> Principal {
        Principal::Browser(Login { admitted, digest: Digest::of("") })
    }

    fn speaks(principal: &Principal, header: Option<&'static str>) -> Result<(String, SessionKind, Rights), ErrorCode> {
        let headers = HeaderMap::from_iter(header.map(|agent| (AGENT_HEADER, HeaderValue::from_static(agent))));
        let owner = "human:ana:http".parse().unwrap();
        let caller = speaker(principal, &headers, &owner).map_err(|failure| failure.code)?;
        let actor = caller.actor();
        assert!(actor.process.is_none());
        Ok((actor.agent_id.to_string(), actor.session_kind, caller.rights()))
    }

    #[test]
    fn an_operator_is_a_person_and_another_holder_is_its_token() {
        use SessionKind::{Human, McpHarness};
        let owner = ("human:ana:http".to_owned(), Human, Rights::Operator);
        assert_eq!(speaks(&browser(Admitted::Owner), None), Ok(owner.clone()));
        assert_eq!(speaks(&holder("operator", Role::Operator, None), None), Ok(owner));
        let named_so = ("token:operator".to_owned(), McpHarness, Rights::Agent);
        assert_eq!(speaks(&holder("operator", Role::Agent, None), None), Ok(named_so), "a name gives no rights");
        for name in ["bob", "ana"] {
            let person = (format!("human:{name}:token"), Human, Rights::Operator);
            assert_eq!(
                speaks(&holder(name, Role::Operator, None), None),
                Ok(person),
                "not the owner, whose name it has"
            );
        }
        let viewer = ("browser:viewer".to_owned(), McpHarness, Rights::Viewer);
        assert_eq!(speaks(&browser(Admitted::Viewer), None), Ok(viewer));
        let ci = ("token:ci".to_owned(), McpHarness, Rights::Viewer);
        assert_eq!(speaks(&holder("ci", Role::Viewer, None), None), Ok(ci));
    }

    #[test]
    fn a_holder_speaks_for_agents_of_its_own_and_a_bound_one_for_that_agent_alone() {
        let worker = |rights| ("worker-a".to_owned(), SessionKind::McpHarness, rights);
        let free = holder("ci", Role::Agent, None);
        assert_eq!(speaks(&free, Some("worker-a")), Ok(worker(Rights::Agent)));
        assert_eq!(speaks(&browser(Admitted::Owner), Some("worker-a")), Ok(worker(Rights::Agent)));
        for taken in ["codex:9b22", "bus", "broadcast"] {
            assert_eq!(speaks(&free, Some(taken)), Err(ErrorCode::InvalidAgentId));
        }
        assert_eq!(speaks(&free, Some("a b")), Err(ErrorCode::InvalidInput));
        let bound = holder("ci", Role::Agent, Some("worker-a"));
        for header in [None, Some("worker-a")] {
            assert_eq!(speaks(&bound, header), Ok(worker(Rights::Agent)));
        }
        assert_eq!(speaks(&bound, Some("worker-b")), Err(ErrorCode::SourceMismatch));
    }
}
