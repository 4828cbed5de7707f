//! Why a message cannot be sent, read or accepted.

use serde::Serialize;

use crate::{
    code::ErrorCode,
    ids::{AgentId, Seq},
};

/// Why a request about messages was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(untagged)]
pub enum Refusal {
    /// A part is missing, empty, too long, or of another category.
    #[error("{field} {why}.")]
    InvalidMessage {
        /// Which part.
        field: &'static str,
        /// What is wrong.
        #[serde(skip)]
        why: String,
    },
    /// The sender is not a member.
    #[error("{agent_id} is not an agent of this room, so it cannot send here.")]
    UnknownSender {
        /// Who.
        agent_id: AgentId,
    },
    /// Nobody is meant.
    #[error("{to}: {why}.")]
    UnknownRecipient {
        /// As it was addressed.
        to: String,
        /// Why nobody gets it.
        #[serde(skip)]
        why: &'static str,
        /// Who could be meant.
        agents: Vec<String>,
    },
    /// There is no such message.
    #[error("There is no message {message} in this room.")]
    NotFound {
        /// Which. In an answer, `message` is the sentence.
        #[serde(rename = "message_id")]
        message: Seq,
    },
    /// It is somebody else's to read.
    #[error("Message {message} is not addressed to you; only its recipient may read it.")]
    ReadForbidden {
        /// Which. In an answer, `message` is the sentence.
        #[serde(rename = "message_id")]
        message: Seq,
        /// Whose it is.
        recipients: Vec<AgentId>,
    },
    /// It is somebody else's to accept.
    #[error("Message {message} is not addressed to you; only its recipient may accept it.")]
    AckForbidden {
        /// Which. In an answer, `message` is the sentence.
        #[serde(rename = "message_id")]
        message: Seq,
        /// Whose it is.
        recipients: Vec<AgentId>,
    },
}

impl Refusal {
    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::InvalidMessage { .. } => ErrorCode::InvalidMessage,
            Self::UnknownSender { .. } => ErrorCode::UnknownSender,
            Self::UnknownRecipient { .. } => ErrorCode::UnknownRecipient,
            Self::NotFound { .. } => ErrorCode::MessageNotFound,
            Self::ReadForbidden { .. } => ErrorCode::ReadForbidden,
            Self::AckForbidden { .. } => ErrorCode::AckForbidden,
        }
    }
}
