//! What happens to a room's brief.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Brief;
use crate::{
    event::{Concern, events},
    ids::AgentId,
};

events! {
    /// It was said what the room is for.
    "brief.set" => BriefSet,
}

/// It was said what the room is for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BriefSet {
    /// All of it, as it is from now on.
    pub brief: Brief,
}

impl Event {
    /// Whom it concerns besides the actor: everybody.
    pub(crate) fn subject(&self) -> Option<&AgentId> {
        None
    }

    /// Who should hear of it first. No wait for the stick ends by it.
    pub(crate) fn concerns(&self) -> Concern<'_> {
        Concern::Nobody
    }
}
