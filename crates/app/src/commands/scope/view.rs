//! A reservation as callers see it.

use baton_core::{
    agent::Presence,
    ids::{AgentId, BeadId, Seq},
    scope::{End, Reservation, View},
    time::Timestamp,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A reservation of paths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScopeView {
    /// The place of its grant in the room's log, which names it.
    pub reservation: Seq,
    /// Relative to the room's root.
    pub scope: String,
    pub owner: AgentId,
    /// What people call the owner.
    pub owner_agent: String,
    pub owner_liveness: Presence,
    pub bead_id: Option<BeadId>,
    pub reserved_at: Timestamp,
    pub expires_at: Timestamp,
    /// Whether it is the caller's.
    pub yours: bool,
    /// When it ended, if it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// How it ended: expired also when a stale owner was displaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<End>,
}

impl ScopeView {
    pub(super) fn of(reservation: &Reservation, view: View<'_>, viewer: &AgentId) -> Self {
        let owner = &reservation.lease.holder;
        Self {
            reservation: reservation.id(),
            scope: reservation.scope.clone(),
            owner: owner.clone(),
            owner_agent: view.name(owner),
            owner_liveness: view.presence(owner).0,
            bead_id: reservation.bead_id.clone(),
            reserved_at: reservation.since,
            expires_at: reservation.lease.expires_at,
            yours: owner == viewer,
            ended_at: reservation.ended.map(|ended| ended.at),
            ended: reservation.ended.map(|ended| ended.how),
        }
    }
}
