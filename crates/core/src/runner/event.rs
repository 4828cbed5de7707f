//! What happens to runners, less that they are there, which is no event.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Capabilities;
use crate::{
    claimant::Backing,
    event::{Concern, events},
    ids::AgentId,
    job::Executor,
};

events! {
    /// A runner said what it can do.
    "runner.register" => Registered,
    /// A runner signed off.
    "runner.retire" => Retired,
    /// Somebody said that an executor of a runner works again.
    "runner.reset" => Reset,
}

/// A runner said what it can do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Registered {
    /// Which.
    pub runner_id: AgentId,
    /// What it can do, where it said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Capabilities>,
    /// The process or credential that speaks for it.
    #[serde(flatten)]
    pub backing: Backing,
}

/// A runner signed off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Retired {
    /// Which.
    pub runner_id: AgentId,
}

/// Somebody said that an executor of a runner works again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reset {
    /// Which runner.
    pub runner_id: AgentId,
    /// Which executors.
    pub executors: Vec<Executor>,
}

impl Event {
    /// Which runner it is about.
    pub fn runner(&self) -> &AgentId {
        match self {
            Self::Registered(registered) => &registered.runner_id,
            Self::Retired(retired) => &retired.runner_id,
            Self::Reset(reset) => &reset.runner_id,
        }
    }

    /// Whom it concerns besides the actor.
    pub(crate) fn subject(&self) -> Option<&AgentId> {
        Some(self.runner())
    }

    /// Who should hear of it first. No wait for the stick ends by it.
    pub(crate) fn concerns(&self) -> Concern<'_> {
        Concern::Nobody
    }
}
