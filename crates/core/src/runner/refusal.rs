//! Why a runner is not believed.

use serde::Serialize;

use crate::{claimant::in_brackets, code::ErrorCode, ids::AgentId, job::Executor, room::Occupant};

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
    /// No executor that was asked for is in trouble.
    #[error("{} is in no trouble.", .executor.map_or_else(|| format!("The runner {runner_id}"), |executor| format!("{executor} of the runner {runner_id}")))]
    NoTrouble {
        /// The runner.
        runner_id: AgentId,
        /// The executor that was named.
        #[serde(skip_serializing_if = "Option::is_none")]
        executor: Option<Executor>,
    },
    /// Another agent, or another process of the same agent, speaks for this runner, and is there.
    #[error("The runner id {runner_id} is in use by {agent_id}{}.", in_brackets(.occupant.as_ref()))]
    Taken {
        /// The runner.
        runner_id: AgentId,
        /// The agent that speaks for it.
        agent_id: AgentId,
        /// That agent's process or credential.
        #[serde(flatten)]
        occupant: Option<Occupant>,
    },
}

impl Refusal {
    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Invalid { .. } => ErrorCode::InvalidInput,
            Self::Taken { .. } => ErrorCode::IdInUse,
            Self::NoTrouble { .. } => ErrorCode::PreconditionFailed,
        }
    }

    /// The next step.
    pub fn next(&self) -> Option<String> {
        match self {
            Self::Invalid { .. } => None,
            Self::NoTrouble { .. } => Some("See what its executors are in: open runner:ID.".to_owned()),
            Self::Taken { .. } => {
                Some("Choose a runner id of your own, or end the process that has this one.".to_owned())
            }
        }
    }
}
