//! Why something cannot be done on the bus.

use serde::Serialize;

use super::{BusId, Status};
use crate::{code::ErrorCode, ids::AgentId};

/// Why a request was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(untagged)]
pub enum Refusal {
    /// A field is missing, empty, too long or of the wrong sort.
    #[error("{field}: {why}.")]
    Invalid {
        /// Which: `actions[2].dst`.
        field: String,
        /// What is wrong.
        #[serde(skip)]
        why: String,
    },
    /// More was given than is taken.
    #[error("{field}: must have at most {limit} bytes, not {bytes}.")]
    TooLarge {
        /// Which field.
        field: String,
        /// How much is taken.
        limit: usize,
        /// How much it is.
        bytes: usize,
    },
    /// The sender is not an agent of the session.
    #[error("{agent_id} is not an agent of this session, so it cannot send here.")]
    UnknownSender {
        /// Who.
        agent_id: AgentId,
    },
    /// Nobody is meant, or not somebody who may be.
    #[error("{field}: {dst}: {why}.")]
    UnknownTarget {
        /// Which field.
        field: String,
        /// As it was addressed.
        dst: String,
        /// Why nobody gets it.
        #[serde(skip)]
        why: &'static str,
        /// Who could be meant.
        agents: Vec<String>,
    },
    /// The name of an action was used before.
    #[error("{field}: there is an action {action_id} in this session already.")]
    DuplicateAction {
        /// Which field.
        field: String,
        /// The name.
        action_id: BusId,
    },
    /// Somebody else leads the conversation.
    #[error("{owner} leads the conversation {context_id}; {why}.")]
    NotOwner {
        /// Which.
        context_id: BusId,
        /// Who leads it.
        owner: AgentId,
        /// What only its owner may do.
        #[serde(skip)]
        why: &'static str,
    },
    /// Somebody else began the group.
    #[error("{owner} began the group {group_id}; others only reply in it to what they were asked there.")]
    NotGroupOwner {
        /// Which.
        group_id: BusId,
        /// Who began it.
        owner: AgentId,
    },
    /// The task is somebody else's.
    #[error("The task {task_id} is {owner}'s; only they and an operator say how far it is, or relay it.")]
    NotTaskOwner {
        /// Which.
        task_id: BusId,
        /// Whose.
        owner: AgentId,
    },
    /// Messages would answer each other for ever.
    #[error("{field}: {why}.")]
    Loop {
        /// Which field.
        field: String,
        /// Why.
        #[serde(skip)]
        why: String,
    },
    /// There is no such action.
    #[error("{field}: there is no action {action_id} in this session.")]
    UnknownAction {
        /// Which field.
        field: String,
        /// Which.
        action_id: BusId,
    },
    /// It is somebody else's to report on, or to reply to.
    #[error("The action {action_id} is for {target}; only its target reports on it and replies to it.")]
    NotTarget {
        /// Which.
        action_id: BusId,
        /// Whose.
        target: AgentId,
    },
    /// The message was for others.
    #[error("{field}: that message of {sender} was not for you; those whom it was for reply to it.")]
    NotRecipient {
        /// Which field.
        field: String,
        /// Who said it.
        sender: AgentId,
    },
    /// The action has ended.
    #[error("The action {action_id} ended before, as {status}.", status = .status.as_str())]
    Ended {
        /// Which.
        action_id: BusId,
        /// How.
        status: Status,
    },
    /// The task has ended.
    #[error("The task {task_id} is done; a task ends once.")]
    TaskEnded {
        /// Which.
        task_id: BusId,
    },
}

impl Refusal {
    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Invalid { .. } => ErrorCode::InvalidInput,
            Self::TooLarge { .. } => ErrorCode::TooLarge,
            Self::UnknownSender { .. } => ErrorCode::UnknownSender,
            Self::UnknownTarget { .. } => ErrorCode::UnknownRecipient,
            Self::DuplicateAction { .. } => ErrorCode::DuplicateAction,
            Self::NotOwner { .. } | Self::NotGroupOwner { .. } | Self::NotTaskOwner { .. } => ErrorCode::NotOwner,
            Self::Loop { .. } => ErrorCode::LoopDetected,
            Self::UnknownAction { .. } => ErrorCode::UnknownId,
            Self::NotTarget { .. } | Self::NotRecipient { .. } => ErrorCode::Forbidden,
            Self::Ended { .. } | Self::TaskEnded { .. } => ErrorCode::AlreadyEnded,
        }
    }

    pub(super) fn invalid(field: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Invalid { field: field.into(), why: why.into() }
    }
}
