//! Agents that credentials are bound to: nobody else speaks for them or is called like them.
//!
//! A store knows which credential added an agent; it does not know the tokens. Whoever keeps those tells the hub, which every
//! call passes.

use std::sync::{Arc, OnceLock};

use baton_app::{Caller, Failure, table::Call};
use baton_core::{code::ErrorCode, ids::AgentId, room::IdOrigin};

/// Names the credentials that are bound to an agent.
pub type BoundTo = dyn Fn(&AgentId) -> Result<Vec<Arc<str>>, Failure> + Send + Sync;

/// The command that takes an agent's id of the caller's choice, and the fields in which ids are chosen.
const ADD: &str = "bus.add";
const CHOSEN: &str = "id";
const GIVEN_BY_HAND: &str = "agent_id_override";
/// The commands that give an agent a name, by which others reach it like by an id.
const NAMING: [&str; 4] = [ADD, "bus.update", "agent.register", "agent.init"];
const NAME: &str = "name";

/// The bindings of a server. Without any, no agent is bound.
#[derive(Default)]
pub(crate) struct Bindings(OnceLock<Box<BoundTo>>);

impl Bindings {
    /// Begins to ask `bound_to`. The first who is told stays.
    pub(crate) fn set(&self, bound_to: Box<BoundTo>) {
        let _ = self.0.set(bound_to);
    }

    /// Refuses a caller under an id that is bound to another credential.
    pub(crate) fn require_free(&self, caller: &Caller) -> Result<(), Failure> {
        let actor = caller.actor();
        match actor.origin {
            IdOrigin::Chosen | IdOrigin::Override => self.require_own(&actor.agent_id, actor.via.as_ref()),
            // An id that was found, or that comes with the credential, is the caller's own.
            IdOrigin::Found | IdOrigin::Bound => Ok(()),
        }
    }

    /// Checks a call, in which another id may be chosen.
    pub(crate) fn require_free_for(&self, caller: &Caller, call: &Call) -> Result<(), Failure> {
        self.require_free(caller)?;
        let chosen = call.text(CHOSEN).filter(|_| call.command.name == ADD);
        let name = call.text(NAME).filter(|_| NAMING.contains(&call.command.name));
        for id in [chosen, name, call.text(GIVEN_BY_HAND)].into_iter().flatten() {
            // What is no id is refused by the command, which has the words for it.
            if let Ok(id) = id.parse() {
                self.require_own(&id, caller.actor().via.as_ref())?;
            }
        }
        Ok(())
    }

    fn require_own(&self, agent: &AgentId, via: Option<&Arc<str>>) -> Result<(), Failure> {
        let Some(bound_to) = self.0.get() else { return Ok(()) };
        let credentials = bound_to(agent)?;
        match credentials.first() {
            Some(credential) if !via.is_some_and(|via| credentials.contains(via)) => {
                let message = format!("{agent} is bound to the token {credential}; nobody else speaks for it.");
                Err(Failure::new(ErrorCode::SourceMismatch, message)
                    .with("agent", agent.as_str())
                    .with("token", &**credential)
                    .advising("Use that token, or speak for an agent of your own."))
            }
            Some(_) | None => Ok(()),
        }
    }
}
