//! Whom a job's agent comes from, and what it may do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ids::AgentId, spawn::Grants};

/// Whom a job's agent comes from, and what it may do. Neither changes once the job is created.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Lineage {
    /// The agent that asked for it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<AgentId>,
    /// What it may do beyond what all may, and what it may not.
    #[serde(default, skip_serializing_if = "Grants::are_usual")]
    pub grants: Grants,
}

impl Lineage {
    /// What of a job's `meta` belongs to it, and cannot be set as anything else.
    pub const META: [&'static str; 2] = ["parent", "grants"];
}
