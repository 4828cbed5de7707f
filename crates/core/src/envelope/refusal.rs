//! Why an envelope cannot be sent.

use serde::Serialize;

use super::PayloadId;
use crate::{
    code::ErrorCode,
    ids::{AgentId, Seq},
};

/// Why a request about envelopes and edges was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(untagged)]
pub enum Refusal {
    /// A field is missing, empty, too long or of the wrong sort.
    #[error("{field} {why}.")]
    Invalid {
        /// Which, as a path into the envelope: `payload.message`.
        field: String,
        /// What is wrong, and what belongs there.
        #[serde(skip)]
        why: String,
    },
    /// It says that it is somebody else's.
    #[error("fromNodeId is {shown}, but you are {agent_id}: an envelope is its sender's own.")]
    NotYours {
        /// Which field.
        field: &'static str,
        /// Who is named.
        shown: String,
        /// Who calls.
        agent_id: AgentId,
    },
    /// The sender is no agent of the room, and no job's.
    #[error("{agent_id} is not an agent of this room, so it cannot send here.")]
    UnknownSender {
        /// Who.
        agent_id: AgentId,
    },
    /// Nobody is meant, or nobody who would get it.
    #[error("{to}: {why}.")]
    UnknownRecipient {
        /// Which field.
        field: &'static str,
        /// As it was addressed.
        to: String,
        /// Why nobody gets it.
        #[serde(skip)]
        why: String,
        /// Who could be meant.
        agents: Vec<String>,
    },
    /// No edge leads there.
    #[error("No edge leads from {from} to {to}, and this room's policy asks for one.")]
    NoEdge {
        /// Which field names the recipient.
        field: &'static str,
        /// From whom.
        from: String,
        /// To whom.
        to: String,
        /// Whom the sender may write to.
        may_write_to: Vec<String>,
    },
    /// Something else was sent under that id.
    #[error("{id} was sent before with other content, as message {message}.")]
    Taken {
        /// The id.
        id: PayloadId,
        /// Its event. In an answer, `message` is the sentence.
        #[serde(rename = "message_id")]
        message: Seq,
    },
    /// There is no such edge.
    #[error("There is no edge from {from} to {to}.")]
    UnknownEdge {
        /// From whom.
        from: String,
        /// To whom.
        to: String,
    },
}

impl Refusal {
    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Invalid { .. } => ErrorCode::InvalidEnvelope,
            Self::NotYours { .. } => ErrorCode::SourceMismatch,
            Self::UnknownSender { .. } => ErrorCode::UnknownSender,
            Self::UnknownRecipient { .. } => ErrorCode::UnknownRecipient,
            Self::NoEdge { .. } => ErrorCode::NoEdge,
            Self::Taken { .. } => ErrorCode::Conflict,
            Self::UnknownEdge { .. } => ErrorCode::UnknownId,
        }
    }

    /// What to do, where the code's own advice is not enough.
    pub fn next(&self) -> Option<String> {
        match self {
            Self::Invalid { .. } | Self::UnknownSender { .. } => None,
            Self::UnknownRecipient { .. } => {
                Some("Use a name or id of `agent list`, or a job of `jobs list` that goes on.".to_owned())
            }
            Self::NotYours { agent_id, .. } => Some(format!("Write fromNodeId {agent_id}, or leave it to Baton.")),
            Self::NoEdge { from, to, may_write_to, .. } => {
                let operator = format!("an operator adds an edge with `baton edge add {from} {to}`");
                Some(match may_write_to.as_slice() {
                    [] => format!("You may write to nobody yet; {operator}."),
                    some => format!("You may write to {}; {operator}.", some.join(", ")),
                })
            }
            Self::Taken { .. } => Some("Use a new id for new content, or leave it out to be given one.".to_owned()),
            Self::UnknownEdge { .. } => Some("See which there are with `agent edge.list`.".to_owned()),
        }
    }

    pub(super) fn invalid(field: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Invalid { field: field.into(), why: why.into() }
    }
}

/// What a field of the envelope is called where its parts are given one by one.
pub fn part_of(field: &str) -> &str {
    match field {
        "toNodeId" => "to",
        "contextRef" => "context_ref",
        "payload.response.expectation" => "response",
        "payload.response.replyTo" => "reply_to",
        other => other.strip_prefix("payload.").unwrap_or(other),
    }
}
