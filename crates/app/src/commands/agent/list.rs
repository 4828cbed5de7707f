//! Listing the agents of a room, those who left too, and showing one.

use baton_core::{
    ids::{AgentId, RoomId},
    job::{Job, agent_of, job_of},
    process::SessionKind,
    spawn::{Grant, Grants},
};
use baton_store::{engine::Tx, table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    AgentView,
    directory::{Earlier, Everybody},
};
use crate::{
    App, Caller, Failure,
    bounds::Page,
    presence::{self, Effort},
    table::{AGENT, Effect, Place, UseCase},
};

/// `agent.list`
pub struct List;

/// Whom to list.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
    /// Also those who left
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
}

/// The agents of a room.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListResult {
    pub room_id: RoomId,
    /// In turn order; then those who left, the last first.
    pub agents: Vec<AgentView>,
    /// Whether there are more than fit: `agent show` knows them by name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_more: bool,
}

impl UseCase for List {
    const NAME: &'static str = "agent.list";
    const PLACE: Place = Place::Portal(&AGENT);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "Who is here: names, roles, liveness, scopes, tasks in progress.";
    type Input = ListInput;
    type Output = ListResult;

    fn perform(app: &App, caller: &Caller, input: ListInput) -> Result<ListResult, Failure> {
        let found = everybody(app, caller, &input)?;
        let (mut page, total) = (Page::default(), found.len());
        let agents: Vec<AgentView> = found.into_iter().take_while(|agent| page.takes(agent)).collect();
        let has_more = agents.len() < total;
        Ok(ListResult { room_id: input.room_id, agents, has_more })
    }
}

/// All that are meant, however many. Who asks is there.
pub(super) fn everybody(app: &App, caller: &Caller, input: &ListInput) -> Result<Vec<AgentView>, Failure> {
    let earlier = if input.all { Earlier::Too } else { Earlier::Not };
    let mut found = app.store.read(|tx| Everybody::read(app, tx, &input.room_id, earlier))?;
    let now = found.sight.now;
    presence::refresh(app, caller, &mut found.sight.room, now, Effort::Try)?;
    found.views(app, &caller.actor().agent_id)
}

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
