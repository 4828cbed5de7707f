//! Why something cannot be kept.

use serde::Serialize;

use crate::{code::ErrorCode, job};

/// Why a request about the library was refused.
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
}

impl Refusal {
    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Invalid { .. } => ErrorCode::InvalidInput,
        }
    }
}

impl From<job::Refusal> for Refusal {
    /// Titles are the same everywhere, and so is what is wrong with them.
    fn from(refusal: job::Refusal) -> Self {
        match refusal {
            job::Refusal::Invalid { field, why } => Self::Invalid { field, why },
            other => Self::Invalid { field: "", why: other.to_string() },
        }
    }
}
