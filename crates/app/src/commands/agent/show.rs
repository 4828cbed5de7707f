//! One identity.

use baton_core::ids::RoomId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AgentView, ListInput, list::everybody};
use crate::{
    App, Caller, Failure,
    table::{AGENT, Effect, Place, UseCase},
};

/// `agent.show`
pub struct Show;

/// Whom to show.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowInput {
    pub room_id: RoomId,
    /// Name or id; default: you
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

/// An identity, and where.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ShowResult {
    pub room_id: RoomId,
    #[serde(flatten)]
    pub agent: AgentView,
}

impl UseCase for Show {
    const NAME: &'static str = "agent.show";
    const PLACE: Place = Place::Portal(&AGENT);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "One agent: liveness, scopes, tasks in progress.";
    type Input = ShowInput;
    type Output = ShowResult;

    fn run(app: &App, caller: &Caller, input: ShowInput) -> Result<ShowResult, Failure> {
        let you = caller.actor().agent_id;
        let everybody = everybody(app, caller, &ListInput { room_id: input.room_id.clone(), all: true })?;
        let named = input.agent.as_deref().unwrap_or(you.as_str());
        let is_it = |agent: &AgentView| agent.name == named || agent.agent_id.as_str() == named;
        let found = everybody.into_iter().find(is_it);
        let agent = found.ok_or_else(|| match &input.agent {
            Some(named) => Failure::unknown_agent(named),
            None => Failure::unknown_agent(you.as_str()),
        })?;
        Ok(ShowResult { room_id: input.room_id, agent })
    }
}
