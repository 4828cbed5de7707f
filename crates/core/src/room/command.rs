//! What can be asked of a room. Fresh ids arrive inside, so that deciding needs no randomness.

use crate::{
    handoff::Handoff,
    ids::{AgentId, LeaseId},
    lease::Fence,
    policy::PolicyChange,
    process::{ProcessIdentity, SessionKind},
};

/// A request and who makes it.
#[derive(Clone, Debug)]
pub struct Command {
    /// Who asks.
    pub by: Actor,
    /// For what.
    pub action: Action,
}

/// The caller, as the adapter identified it. Callers never name themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// Who.
    pub agent_id: AgentId,
    /// The exact process that would hold the stick for them.
    pub process: Option<ProcessIdentity>,
    /// What stands behind them.
    pub session_kind: SessionKind,
    /// Whether the id was given by hand (tests and debugging) instead of being found.
    pub overridden: bool,
}

/// What a would-be owner shows: the contract's fencing pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// `expected_turn_id`.
    pub turn: Fence,
    /// `lease_id`.
    pub lease_id: LeaseId,
}

/// What is asked.
#[derive(Clone, Debug)]
pub enum Action {
    /// Become a member, or come back as one.
    Join,
    /// Take the stick if it is this member's to take.
    Claim {
        /// The lease to grant.
        lease_id: LeaseId,
    },
    /// Let the next member have it.
    Release {
        /// The fence.
        shown: Shown,
        /// What the next holder needs.
        handoff: Handoff,
    },
    /// Let a chosen member have it.
    Pass {
        /// The fence.
        shown: Shown,
        /// Who should have it.
        to: AgentId,
        /// What they need.
        handoff: Handoff,
    },
    /// Recover the stick from someone who does not respond.
    Takeover {
        /// The turn that is to be ended.
        expected_turn: Fence,
        /// Why.
        reason: String,
        /// The lease to grant.
        lease_id: LeaseId,
    },
    /// Leave a remark that changes no ownership.
    Note {
        /// The remark.
        text: String,
    },
    /// Stop being a member.
    Leave,
    /// End the room.
    Close {
        /// The turn the caller believes current.
        expected_turn: Fence,
        /// The lease, when the caller is the owner.
        lease_id: Option<LeaseId>,
        /// Why.
        reason: Option<String>,
    },
    /// Change the turn order.
    Reorder {
        /// Every member, once.
        order: Vec<AgentId>,
    },
    /// Change the timings.
    SetPolicy {
        /// What changes.
        change: PolicyChange,
    },
}
