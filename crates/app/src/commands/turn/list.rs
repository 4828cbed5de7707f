//! Turns as callers see them, and the turns of a room's agents.

use baton_core::{
    ids::{AgentId, RoomId},
    job::{Executor, Job, JobId, agent_of},
    lease::Fence,
    limits,
    room::Room,
    time::Timestamp,
    turn::{Outcome, PromptMode, Turn, TurnId, Usage},
};
use baton_store::{
    engine::Tx,
    former, table,
    turns::{self, Which},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    bounds::{self, Page},
    presence,
    table::{CONTEXT, Effect, Place, UseCase},
};

/// A turn.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnView {
    pub turn: TurnId,
    pub agent_id: AgentId,
    /// What people call the agent.
    pub agent: String,
    /// Which of that agent's turns, from one.
    pub number: u32,
    pub job: Option<JobId>,
    /// Under which claim of the job.
    pub revision: Option<Fence>,
    pub runner_id: Option<AgentId>,
    pub executor: Option<Executor>,
    /// Whether its agent was told all, or what is new.
    pub mode: Option<PromptMode>,
    pub role: Option<String>,
    /// Tokens of the prompt in effect.
    pub tokens: u32,
    /// Tokens of what was sent of it.
    pub sent_tokens: u32,
    /// How often it has used a tool.
    pub tools: u32,
    /// How it ended; it goes on, if this is missing.
    pub outcome: Option<Outcome>,
    /// Why, where it did not go well.
    pub why: Option<String>,
    /// The provider's name for the conversation.
    pub session: Option<String>,
    pub usage: Usage,
    /// Whether what it had consumed is back in the queue.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub returned: bool,
    pub began_at: Timestamp,
    pub ended_at: Option<Timestamp>,
}

impl TurnView {
    pub(crate) fn of(turn: &Turn, room: &Room) -> Self {
        let name = room.member(&turn.agent_id).map(|member| member.display_name.clone());
        let job = || turn.job.map(|job| job.to_string());
        Self {
            turn: turn.id,
            agent: name.or_else(job).unwrap_or_else(|| turn.agent_id.to_string()),
            agent_id: turn.agent_id.clone(),
            number: turn.number,
            job: turn.job,
            revision: turn.revision,
            runner_id: turn.runner.clone(),
            executor: turn.executor,
            mode: turn.mode,
            role: turn.role.clone(),
            tokens: turn.tokens,
            sent_tokens: turn.sent_tokens,
            tools: turn.tools,
            outcome: turn.outcome,
            why: turn.why.clone(),
            session: turn.session.clone(),
            usage: turn.usage,
            returned: turn.returned,
            began_at: turn.began_at,
            ended_at: turn.ended_at,
        }
    }
}

/// A turn, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnResult {
    pub room_id: RoomId,
    #[serde(flatten)]
    pub turn: TurnView,
}

/// `context.turn.list`
pub struct List;

/// Whose turns.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListInput {
    pub room_id: RoomId,
    /// Only an agent's: its name, its id, or JOB-001
    pub agent: Option<String>,
    /// Only those for a job
    pub job: Option<JobId>,
    /// Only older ones
    pub before: Option<TurnId>,
    /// 1 to 200; default 25
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
        let (room, found) = presence::read(app, caller, &input.room_id, |tx, room, _| {
            let agent = input.agent.as_deref().map(|named| whose(tx, room, named)).transpose()?;
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
            Ok(found)
        })?;
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
