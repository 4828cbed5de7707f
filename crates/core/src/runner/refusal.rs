//! Why a runner is not believed.

use serde::Serialize;

use crate::{code::ErrorCode, ids::AgentId};

/// Why a request about a runner was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(untagged)]
pub enum Refusal {
    /// A field says the wrong thing.
    #[error("{field} {why}.")]
    Invalid {
        /// Which field.
        field: &'static str,
        /// What is wrong with it.
        #[serde(skip)]
        why: String,
    },
    /// Another agent speaks for this runner, and is there.
    #[error("{runner_id} is spoken for by {agent_id}, whose lease is in force.")]
    Taken {
        /// Which runner.
        runner_id: AgentId,
        /// Who speaks for it.
        agent_id: AgentId,
    },
}

impl Refusal {
    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Invalid { .. } => ErrorCode::InvalidInput,
            Self::Taken { .. } => ErrorCode::Conflict,
        }
    }
}
