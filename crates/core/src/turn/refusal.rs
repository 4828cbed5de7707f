//! Why something cannot be said of a turn.

use serde::Serialize;

use super::{Outcome, TurnId};
use crate::{
    code::ErrorCode,
    ids::AgentId,
    job::{self, JobId},
    time::Timestamp,
};

/// Why a request about a turn was refused.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(untagged)]
pub enum Refusal {
    /// A field says too little, too much, or the wrong thing.
    #[error("{field} {why}.")]
    Invalid {
        /// Which field.
        field: &'static str,
        /// What is wrong with it.
        #[serde(skip)]
        why: String,
    },
    /// The agent is in a turn already.
    #[error("{agent_id} is in a turn already: {turn}, since {since}.")]
    Open {
        /// Which.
        turn: TurnId,
        /// Whose.
        agent_id: AgentId,
        /// Since when.
        since: Timestamp,
    },
    /// It is over.
    #[error("{turn} is over: {outcome}{}.", .why.as_ref().map(|why| format!(", because {why}")).unwrap_or_default())]
    Over {
        /// Which.
        turn: TurnId,
        /// How it ended.
        outcome: Outcome,
        /// Why, where it did not go well.
        why: Option<String>,
    },
    /// Somebody else runs it.
    #[error("{turn} is a turn of {agent_id}, and only whoever runs it may say something of it.")]
    NotYours {
        /// Which.
        turn: TurnId,
        /// Whose.
        agent_id: AgentId,
        /// The job it is for.
        job: Option<JobId>,
    },
    /// The claim that was shown does not do.
    #[error(transparent)]
    Claim(#[from] job::Refusal),
}

impl Refusal {
    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Invalid { .. } => ErrorCode::InvalidInput,
            Self::Open { .. } | Self::Over { .. } | Self::NotYours { .. } => ErrorCode::PreconditionFailed,
            Self::Claim(refusal) => refusal.code(),
        }
    }

    /// What to do next.
    pub fn next(&self) -> Option<String> {
        match self {
            Self::Invalid { .. } => None,
            Self::Open { turn, .. } => Some(format!(
                "Go on with it: `open` {turn} shows what it has. Or end it first, with `context turn.end`."
            )),
            Self::Over { .. } => {
                Some("Begin the next one with `context turn.begin`; what went back waits there.".to_owned())
            }
            Self::NotYours { job: Some(job), .. } => {
                Some(format!("Show the claim on {job}: runner_id and the job.revision that `jobs claim` answered."))
            }
            Self::NotYours { job: None, .. } => Some("Begin a turn of your own with `context turn.begin`.".to_owned()),
            Self::Claim(refusal) => refusal.next(),
        }
    }
}
