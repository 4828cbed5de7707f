//! A runner.

use baton_core::{
    ids::{AgentId, RoomId},
    runner::{Capabilities, Runner, Standing},
    time::Timestamp,
};
use baton_store::{engine::Tx, jobs, table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::JobLine;
use crate::Failure;

/// A runner, and what it is at.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct OpenedRunner {
    pub runner_id: AgentId,
    /// Who speaks for it.
    pub agent_id: AgentId,
    /// offline, once its lease has run out.
    pub standing: Standing,
    /// Until when it counts as there.
    pub lease_expires_at: Timestamp,
    /// Whether it signed off.
    pub retired: bool,
    /// What it can do, where it said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Capabilities>,
    /// The jobs it says it is at, or said when it was last heard.
    pub jobs: Vec<JobLine>,
}

impl OpenedRunner {
    pub(super) fn read(tx: &mut dyn Tx, room: &RoomId, id: &AgentId, now: Timestamp) -> Result<Option<Self>, Failure> {
        let Some(runner) = table::find::<Runner>(tx, room, id)? else { return Ok(None) };
        let active = jobs::find_all(tx, room, &runner.active)?;
        Ok(Some(Self {
            standing: runner.standing(now),
            runner_id: runner.id,
            agent_id: runner.claimant.agent,
            lease_expires_at: runner.lease_expires_at,
            retired: runner.retired,
            capabilities: runner.capabilities,
            jobs: active.iter().map(|job| JobLine::of(job, now)).collect(),
        }))
    }
}
