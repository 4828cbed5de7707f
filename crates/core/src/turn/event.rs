//! What happens in a turn.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TurnId;
use crate::{
    event::{Concern, events},
    ids::{AgentId, Seq},
    job::{Executor, JobId},
    lease::Fence,
    reference::Reference,
    time::Timestamp,
    words::words,
};

events! {
    /// An agent took what was queued for it, and began.
    "turn.begin" => Begun,
    /// It was told something.
    "turn.prompt" => Prompted,
    /// It used tools.
    "turn.tools" => ToolsUsed,
    /// It is over.
    "turn.end" => Ended,
}

words! {
    /// How a turn ended.
    Outcome {
        /// Well: what it consumed is accepted.
        Completed "completed",
        /// It failed.
        Failed "failed",
        /// Somebody interrupted it.
        Interrupted "interrupted",
        /// Whoever ran it is gone, or has lost its claim.
        Lost "lost",
    }
}

words! {
    /// How much of its prompt an agent was sent.
    PromptMode {
        /// All of it.
        Full "full",
        /// What is new, because its conversation goes on.
        Delta "delta",
    }
}

words! {
    /// How far the use of a tool is.
    ToolState {
        /// It began.
        Started "started",
        /// It went well.
        Done "done",
        /// It did not.
        Failed "failed",
    }
}

/// An agent took what was queued for it, and began.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Begun {
    /// Its number.
    pub turn: TurnId,
    /// Whose.
    pub agent_id: AgentId,
    /// Which of that agent's turns, from one.
    pub number: u32,
    /// What it consumes: interrupts first, then in the order of the log.
    pub items: Vec<Seq>,
    /// The job it is for.
    pub job: Option<JobId>,
    /// Under which claim of that.
    pub revision: Option<Fence>,
    /// Who runs it.
    pub runner: Option<AgentId>,
    /// With which program.
    pub executor: Option<Executor>,
}

/// It was told something.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Prompted {
    /// Which turn.
    pub turn: TurnId,
    /// Whose.
    pub agent_id: AgentId,
    /// Whether it was told all, or what is new.
    pub mode: PromptMode,
    /// What it is here for.
    pub role: Option<String>,
    /// Tokens of all that is in effect.
    pub tokens: u32,
    /// Tokens of what was sent.
    pub sent_tokens: u32,
    /// The pack that is in it.
    pub context_ref: Option<Reference>,
    /// Where both are kept.
    pub refs: Vec<Reference>,
}

/// It used tools.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolsUsed {
    /// Which turn.
    pub turn: TurnId,
    /// Whose.
    pub agent_id: AgentId,
    /// In the order in which they were used.
    pub uses: Vec<ToolUse>,
}

/// The use of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolUse {
    /// Which tool; one of an MCP server is `server.tool`
    pub name: String,
    /// What with, in a line
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// How far it is
    pub state: ToolState,
    /// When
    pub at: Timestamp,
}

/// It is over.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ended {
    /// Which turn.
    pub turn: TurnId,
    /// Whose.
    pub agent_id: AgentId,
    /// How.
    pub outcome: Outcome,
    /// Why, where it did not go well.
    pub why: Option<String>,
    /// What it had consumed.
    pub items: Vec<Seq>,
    /// Whether that is back in the queue.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub returned: bool,
    /// The provider's name for the conversation.
    pub session: Option<String>,
    /// What it took.
    #[serde(default)]
    pub usage: Usage,
    /// What it left behind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<Reference>,
}

/// What a turn took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Usage {
    /// Tokens in, those from a cache included
    #[serde(default)]
    pub input_tokens: u64,
    /// How many of them were from a cache
    #[serde(default)]
    pub cached_tokens: u64,
    /// Tokens out
    #[serde(default)]
    pub output_tokens: u64,
    /// What it cost in millionths of a dollar, where the program tells
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_microusd: Option<u64>,
}

impl Usage {
    /// Both together.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let costs = [self.cost_microusd, other.cost_microusd];
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            cached_tokens: self.cached_tokens.saturating_add(other.cached_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cost_microusd: costs.into_iter().flatten().reduce(u64::saturating_add),
        }
    }
}

impl Event {
    /// The turn.
    pub const fn turn(&self) -> TurnId {
        match self {
            Self::Begun(begun) => begun.turn,
            Self::Prompted(prompted) => prompted.turn,
            Self::ToolsUsed(used) => used.turn,
            Self::Ended(ended) => ended.turn,
        }
    }

    /// Whose turn it is.
    pub const fn agent_id(&self) -> &AgentId {
        match self {
            Self::Begun(begun) => &begun.agent_id,
            Self::Prompted(prompted) => &prompted.agent_id,
            Self::ToolsUsed(used) => &used.agent_id,
            Self::Ended(ended) => &ended.agent_id,
        }
    }

    /// Whom it concerns besides the actor.
    pub(crate) fn subject(&self) -> Option<&AgentId> {
        Some(self.agent_id())
    }

    /// Who should hear of it first. No wait for the stick ends by it.
    pub(crate) fn concerns(&self) -> Concern<'_> {
        Concern::Nobody
    }
}
