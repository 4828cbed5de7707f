//! What is asked of a target, and what it may answer.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ids::AgentId, limits};

/// A name that a client of the bus gave something: a group, an action, a conversation or a task of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(inline, with = "String", extend("pattern" = "^[!-~]{1,128}$"))]
pub struct BusId(String);

impl BusId {
    /// The name as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for BusId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if (1..=limits::BUS_ID_BYTES).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Ok(Self(text));
        }
        let shown: String = text.chars().take(limits::SHOWN_INPUT_CHARS).collect();
        Err(format!("must be 1 to {} visible ASCII characters, without spaces, not {shown:?}", limits::BUS_ID_BYTES))
    }
}

impl FromStr for BusId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::try_from(text.to_owned())
    }
}

impl From<BusId> for String {
    fn from(id: BusId) -> Self {
        id.0
    }
}

impl fmt::Display for BusId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Which conversation something belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Context {
    /// The conversation.
    pub context_id: BusId,
    /// Who leads it.
    pub owner_id: AgentId,
    /// The message that this one follows from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_message_id: Option<String>,
}

/// What a message is in its conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Kind {
    /// Work for its target. It may be relayed.
    User,
    /// An answer. It is never relayed.
    Reply,
    /// A control command.
    Control,
    /// Word from Baton itself, or by its protocol.
    System,
}

impl Kind {
    /// The kind as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Reply => "reply",
            Self::Control => "control",
            Self::System => "system",
        }
    }
}

/// A control command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Control {
    /// Begin a fresh conversation.
    New,
    /// Shorten what is remembered.
    Compact,
    /// Stop what is running.
    Interrupt,
    /// Review, as the arguments say.
    Review,
}

impl Control {
    /// Every command.
    pub const ALL: [Self; 4] = [Self::New, Self::Compact, Self::Interrupt, Self::Review];

    /// The command as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Compact => "compact",
            Self::Interrupt => "interrupt",
            Self::Review => "review",
        }
    }

    /// The command that a word names.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|command| command.as_str() == word)
    }
}

/// How a message is to be gone about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// In order.
    pub steps: Vec<String>,
    /// A remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What an action asks for.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum What {
    /// To take in a message.
    Message {
        /// What it is in its conversation.
        kind: Kind,
        /// What it says.
        text: String,
        /// The action that it answers.
        reply_to_action_id: Option<BusId>,
        /// How it is to be gone about.
        plan: Option<Plan>,
    },
    /// To obey a command.
    Control {
        /// Which.
        command: Control,
        /// Its arguments: instructions for a review.
        args: Option<String>,
    },
}

/// How far a target is with an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Status {
    /// It has it.
    Accepted,
    /// It did it.
    Completed,
    /// It cannot do it yet: it is busy.
    Blocked,
    /// It will do it after what it is at.
    Queued,
    /// It will not do it.
    Rejected,
    /// It could not do it.
    Error,
}

impl Status {
    /// Every status, in the contract's order.
    pub const ALL: [Self; 6] =
        [Self::Accepted, Self::Completed, Self::Blocked, Self::Queued, Self::Rejected, Self::Error];

    /// The status as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Completed => "completed",
            Self::Blocked => "blocked",
            Self::Queued => "queued",
            Self::Rejected => "rejected",
            Self::Error => "error",
        }
    }

    /// Whether nothing comes after it.
    pub const fn is_terminal(self) -> bool {
        match self {
            Self::Completed | Self::Rejected | Self::Error => true,
            Self::Accepted | Self::Blocked | Self::Queued => false,
        }
    }
}

/// What comes with a result.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// The conversation that a `new` began.
    pub new_context_id: Option<BusId>,
    /// The task that a `new` began.
    pub new_task_id: Option<BusId>,
}
