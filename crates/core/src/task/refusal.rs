//! Why a task cannot be moved.

use serde::Serialize;

use super::{State, TaskId};
use crate::{code::ErrorCode, ids::AgentId};

/// Why a request about a task was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(untagged)]
pub enum Refusal {
    /// The title, or what it is about, says too little or too much.
    #[error("{field} {why}.")]
    InvalidTitle {
        /// What is wrong.
        #[serde(skip)]
        why: String,
        /// Which field.
        field: &'static str,
    },
    /// It is somebody else's.
    #[error("{task} is assigned to {assignee}.")]
    NotYours {
        /// Which.
        task: TaskId,
        /// Whose it is.
        assignee: AgentId,
    },
    /// It is not at a point where that makes sense.
    #[error("{task} is {}: {why}.", state.as_str())]
    WrongState {
        /// Which.
        task: TaskId,
        /// How far it is.
        state: State,
        /// Why that does not go.
        #[serde(skip)]
        why: &'static str,
    },
}

impl Refusal {
    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::InvalidTitle { .. } => ErrorCode::InvalidArgs,
            Self::NotYours { .. } | Self::WrongState { .. } => ErrorCode::PreconditionFailed,
        }
    }
}
