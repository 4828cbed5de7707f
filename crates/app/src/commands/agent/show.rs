//! One identity.

use baton_core::{
    ids::{AgentId, RoomId},
    job::{Job, agent_of, job_of},
    process::SessionKind,
    spawn::{Grant, Grants},
};
use baton_store::{engine::Tx, table};
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
    /// What it may do beyond what all may, and what it may not.
    pub grants: Grants,
}

impl UseCase for Show {
    const NAME: &'static str = "agent.show";
    const PLACE: Place = Place::Portal(&AGENT);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "One agent: liveness, scopes, tasks in progress, what it may do.";
    type Input = ShowInput;
    type Output = ShowResult;

    fn perform(app: &App, caller: &Caller, input: ShowInput) -> Result<ShowResult, Failure> {
        let you = caller.actor().agent_id;
        let everybody = everybody(app, caller, &ListInput { room_id: input.room_id.clone(), all: true })?;
        let named = input.agent.as_deref().unwrap_or(you.as_str());
        let is_it = |agent: &AgentView| agent.name == named || agent.agent_id.as_str() == named;
        let found = everybody.into_iter().find(is_it);
        let agent = found.ok_or_else(|| match &input.agent {
            Some(named) => Failure::unknown_agent(named),
            None => Failure::unknown_agent(you.as_str()),
        })?;
        let grants =
            app.store.read::<_, Failure>(|tx| grants_of(tx, &input.room_id, &agent.agent_id, agent.session_kind))?;
        Ok(ShowResult { room_id: input.room_id, agent, grants })
    }
}

/// What an agent may do: a person everything, a job's agent what its job was given, others what was granted.
pub(super) fn grants_of(
    tx: &mut dyn Tx,
    room: &RoomId,
    agent: &AgentId,
    kind: Option<SessionKind>,
) -> Result<Grants, Failure> {
    let job = job_of(agent).filter(|job| agent_of(room, *job) == *agent);
    if let Some(job) = job.map(|job| table::find::<Job>(tx, room, &job)).transpose()?.flatten() {
        return Ok(job.lineage.grants);
    }
    match kind {
        Some(SessionKind::Human | SessionKind::HumanGuardian) => Ok(Grants::ALL),
        Some(SessionKind::McpHarness | SessionKind::Shell) | None => {
            Ok(table::find::<Grant>(tx, room, agent)?.map(|grant| grant.grants).unwrap_or_default())
        }
    }
}
