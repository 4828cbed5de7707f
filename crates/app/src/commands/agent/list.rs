//! Who is here, and who was.

use baton_core::ids::RoomId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    AgentView,
    everybody::{Earlier, Everybody},
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
