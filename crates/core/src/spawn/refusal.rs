//! Why another agent cannot be had.

use serde::Serialize;

use super::{ApprovalId, ApprovalStatus, SpecDigest};
use crate::{
    code::ErrorCode,
    envelope::{self, part_of},
    ids::AgentId,
    job::{self, JobId},
};

/// Why a request for an agent, or a decision on one, was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(untagged)]
pub enum Refusal {
    /// A field says too little, too much, or the wrong thing.
    #[error("{field} {why}.")]
    Invalid {
        /// Which field.
        field: String,
        /// What is wrong with it.
        #[serde(skip)]
        why: String,
    },
    /// Nobody gets further agents here.
    #[error("This room's policy is that no further agents are asked for.")]
    Off,
    /// It was not allowed to ask.
    #[error("{agent_id} may not ask for further agents.")]
    NotGranted {
        /// Who.
        agent_id: AgentId,
    },
    /// The new agent would be allowed more than the one that asks.
    #[error("{field} asks for more than may be given: {why}.")]
    Exceeds {
        /// What.
        field: &'static str,
        /// Why that is more.
        #[serde(skip)]
        why: String,
    },
    /// An approval that does not say of what.
    #[error("digest: say which request of {approval} you saw.")]
    Unseen {
        /// The request.
        approval: ApprovalId,
        /// The field that says it.
        field: &'static str,
    },
    /// An approval of something else than what would be made now.
    #[error("{approval} is not what was shown, or is no longer.")]
    Changed {
        /// The request.
        approval: ApprovalId,
        /// The digest of what it is now.
        digest: SpecDigest,
    },
    /// Somebody decided already.
    #[error("{approval} is {status} already, by {decided_by}.")]
    Decided {
        /// Which request.
        approval: ApprovalId,
        /// What was decided.
        status: ApprovalStatus,
        /// By whom.
        decided_by: AgentId,
        /// What came of it.
        #[serde(skip_serializing_if = "Option::is_none")]
        job: Option<JobId>,
    },
}

impl Refusal {
    pub(super) fn invalid(field: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Invalid { field: field.into(), why: why.into() }
    }

    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Invalid { .. } => ErrorCode::InvalidInput,
            Self::Off | Self::NotGranted { .. } | Self::Exceeds { .. } => ErrorCode::SpawnForbidden,
            Self::Unseen { .. } => ErrorCode::InvalidInput,
            Self::Changed { .. } => ErrorCode::PreconditionFailed,
            Self::Decided { .. } => ErrorCode::Conflict,
        }
    }

    /// What to do, where the code's own advice is not enough.
    pub fn next(&self) -> Option<String> {
        match self {
            Self::Invalid { .. } => None,
            Self::Off => Some("Do it yourself, or have an operator set the room's policy: spawn ask.".to_owned()),
            Self::NotGranted { agent_id } if job::job_of(agent_id).is_some() => Some(
                "Do it yourself, or report kind question: only a job that was created with the grant spawn_nodes may \
                 have others do it."
                    .to_owned(),
            ),
            Self::NotGranted { agent_id } => {
                Some(format!("Do it yourself, or have an operator allow it: baton agent grant {agent_id} --spawn"))
            }
            Self::Exceeds { field, .. } => Some(format!("Leave {field} out, or ask for less.")),
            Self::Unseen { approval, .. } => {
                Some(format!("Open {approval}, and approve it with the digest that it shows."))
            }
            Self::Changed { approval, .. } => {
                Some(format!("Open {approval} again, and decide on what it shows now, with its digest."))
            }
            Self::Decided { approval, .. } => Some(format!("See what came of it: open {approval}.")),
        }
    }
}

impl From<job::Refusal> for Refusal {
    /// An agent is a job, and what is wrong with it is wrong with the job.
    fn from(refusal: job::Refusal) -> Self {
        match refusal {
            job::Refusal::Invalid { field, why } => Self::invalid(field, why),
            other => Self::invalid("", other.to_string()),
        }
    }
}

impl From<envelope::Refusal> for Refusal {
    /// Its first envelope is given in parts.
    fn from(refusal: envelope::Refusal) -> Self {
        match refusal {
            envelope::Refusal::Invalid { field, why } => Self::invalid(part_of(&field), why),
            other => Self::invalid("message", other.to_string()),
        }
    }
}
