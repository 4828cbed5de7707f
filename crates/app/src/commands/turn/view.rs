//! A turn as callers see it.

use baton_core::{
    ids::{AgentId, RoomId},
    job::{Executor, JobId},
    lease::Fence,
    room::Room,
    time::Timestamp,
    turn::{Outcome, PromptMode, Turn, TurnId, Usage},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnView {
    pub turn: TurnId,
    pub agent_id: AgentId,
    /// What people call the agent.
    pub agent: String,
    /// Which of that agent's turns, from one.
    pub number: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
    /// Under which claim of the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<Fence>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner_id: Option<AgentId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executor: Option<Executor>,
    /// Whether its agent was told all, or what is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<PromptMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Tokens of the prompt in effect.
    pub tokens: u32,
    /// Tokens of what was sent of it.
    pub sent_tokens: u32,
    /// How often it has used a tool.
    pub tools: u32,
    /// How it ended; it goes on, if this is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Why, where it did not go well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The provider's name for the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    pub usage: Usage,
    /// Whether what it had consumed is back in the queue.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub returned: bool,
    pub began_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
