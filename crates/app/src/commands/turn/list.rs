//! The turns of a room's agents.

use baton_core::{
    ids::{AgentId, RoomId},
    job::{Job, JobId, agent_of},
    limits,
    room::Room,
    turn::TurnId,
};
use baton_store::{
    engine::Tx,
    former, table,
    turns::{self, Which},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TurnView;
use crate::{
    App, Caller, Failure,
    bounds::{self, Page},
    presence::{self, Effort},
    table::{CONTEXT, Effect, Place, UseCase},
};

/// `context.turn.list`
pub struct List;

/// Whose turns.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListInput {
    pub room_id: RoomId,
    /// Only an agent's: its name, its id, or JOB-001
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Only those for a job
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
    /// Only older ones
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<TurnId>,
    /// 1 to 200; default 25
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Turns, newest first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListResult {
    pub room_id: RoomId,
    pub turns: Vec<TurnView>,
    /// Whether there are more: ask again with `before` the last one.
    pub has_more: bool,
}

impl UseCase for List {
    const NAME: &'static str = "context.turn.list";
    const PLACE: Place = Place::Portal(&CONTEXT);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "List turns, newest first. `open` TURN-1 shows all of one.";
    type Input = ListInput;
    type Output = ListResult;

    fn perform(app: &App, caller: &Caller, input: ListInput) -> Result<ListResult, Failure> {
        let limit = bounds::limit(input.limit, limits::TURNS_DEFAULT, limits::TURNS_MAX)?;
        let (mut room, found, now) = app.store.read(|tx| {
            let room = app.room(tx, &input.room_id)?;
            let agent = input.agent.as_deref().map(|named| whose(tx, &room, named)).transpose()?;
            if let Some(job) = input.job
                && table::find::<Job>(tx, &room.id, &job)?.is_none()
            {
                return Err(Failure::unknown_id(job));
            }
            // A job's turns are its agent's, so both are met only if they are the same.
            let which = match (&agent, input.job) {
                (Some(agent), Some(job)) if *agent != agent_of(&room.id, job) => None,
                (_, Some(job)) => Some(Which::Job(job)),
                (Some(agent), None) => Some(Which::Of(agent)),
                (None, None) => Some(Which::All),
            };
            let found = match which {
                Some(which) => turns::before(tx, &room.id, which, input.before, limit + 1)?,
                None => Vec::new(),
            };
            Ok::<_, Failure>((room, found, tx.now()?))
        })?;
        presence::refresh(app, caller, &mut room, now, Effort::Try)?;
        let turns = Page::default().fill(&found, limit, |turn| TurnView::of(turn, &room));
        let has_more = turns.len() < found.len();
        Ok(ListResult { turns, room_id: room.id, has_more })
    }
}

/// The agent that is meant: a member, one that was, or a job's own.
pub(crate) fn whose(tx: &mut dyn Tx, room: &Room, named: &str) -> Result<AgentId, Failure> {
    if let Ok(job) = named.parse::<JobId>() {
        return match table::find::<Job>(tx, &room.id, &job)? {
            Some(_) => Ok(agent_of(&room.id, job)),
            None => Err(Failure::unknown_id(job)),
        };
    }
    let is_member = |name: &str, id: &AgentId| name == named || id.as_str() == named;
    if let Some(member) = room.members.iter().find(|member| is_member(&member.display_name, &member.agent_id)) {
        return Ok(member.agent_id.clone());
    }
    let earlier = former::all(tx, &room.id)?;
    if let Some(former) = earlier.iter().rev().find(|former| is_member(&former.name, &former.agent_id)) {
        return Ok(former.agent_id.clone());
    }
    // Who never was a member may still have had turns: a job's agent, by its id.
    let id: AgentId = named.parse().map_err(|_| Failure::unknown_agent(named))?;
    match turns::before(tx, &room.id, Which::Of(&id), None, 1)?.is_empty() {
        true => Err(Failure::unknown_agent(named)),
        false => Ok(id),
    }
}
