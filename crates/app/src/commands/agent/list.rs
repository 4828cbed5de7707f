//! Who is here, and who was.

use baton_core::{ids::RoomId, limits, scope::View, task::State};
use baton_store::{bus, former, scopes, tasks};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AgentView, directory::Directory};
use crate::{
    App, Caller, Failure,
    app::Sight,
    bounds::Page,
    connection::Streams,
    presence::{self, Effort},
    scoping,
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

    fn run(app: &App, caller: &Caller, input: ListInput) -> Result<ListResult, Failure> {
        let found = everybody(app, caller, &input)?;
        let (mut page, total) = (Page::default(), found.len());
        let agents: Vec<AgentView> = found.into_iter().take_while(|agent| page.takes(agent)).collect();
        let has_more = agents.len() < total;
        Ok(ListResult { room_id: input.room_id, agents, has_more })
    }
}

/// All that are meant, however many.
pub(super) fn everybody(app: &App, caller: &Caller, input: &ListInput) -> Result<Vec<AgentView>, Failure> {
    let you = caller.actor().agent_id;
    let stale_after = app.stale_after()?;
    let (mut sight, reserved, in_progress, connections, streams, earlier) = app.store.read(|tx| {
        let room = app.room(tx, &input.room_id)?;
        let eyes = app.eyes(tx, &room)?;
        let reserved = scopes::in_force(tx, &room.id)?;
        let in_progress = tasks::in_state(tx, &room.id, State::InProgress, None, limits::TASKS_MAX)?;
        let connections = bus::connections(tx, &room.id)?;
        let streams = Streams::of_members(tx, &room)?;
        let earlier = if input.all { former::all(tx, &room.id)? } else { Vec::new() };
        let sight = Sight { room, eyes, now: tx.now()? };
        Ok::<_, Failure>((sight, reserved, in_progress, connections, streams, earlier))
    })?;
    presence::refresh(app, caller, &mut sight.room, sight.now, Effort::Try);
    let Sight { room, eyes, now } = &sight;
    let root = scoping::root(room)?;
    let view = View { room, root: &root, now: *now, stale_after, witness: eyes };
    let (scopes, in_progress, connections) = (&reserved, &*in_progress, &*connections);
    let streams = &streams;
    let directory = Directory { view, scopes, in_progress, connections, streams, viewer: &you };
    let members = room.members.iter().map(|member| directory.member(member));
    Ok(members.chain(earlier.iter().rev().map(|former| directory.former(former))).collect())
}
