//! Callers of a room, and what they show.

use std::sync::Arc;

use crate::{
    agent::Former,
    ids::{AgentId, AgentName, LeaseId, Role},
    lease::Fence,
    policy::PolicyChange,
    process::{ProcessIdentity, SessionKind, Witness},
    time::Timestamp,
};

/// A caller at a point in time, with a view of processes: the grounds on which a room's rules decide.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// The time of the transaction.
    pub now: Timestamp,
    /// The caller.
    pub by: &'a Actor,
    /// The view of processes.
    pub witness: &'a dyn Witness,
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
    /// Where the id comes from.
    pub origin: IdOrigin,
    /// The credential that the call came with, by name: a token, or a browser that logged in.
    pub via: Option<Arc<str>>,
    /// The agent whose conversation this process shares, while that agent's own process runs.
    pub parallel_to: Option<AgentId>,
}

/// Where a caller's id comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdOrigin {
    /// Worked out from the caller's process or credential.
    Found,
    /// Chosen by a client of the bus for one of its agents, and bound to its process or credential.
    Chosen,
    /// Given with the caller's credential by whoever made it. No other credential speaks for it.
    Bound,
    /// Given by hand, for tests and debugging. Every event that it causes is marked.
    Override,
}

impl Actor {
    /// A caller whose id was worked out from its process.
    pub const fn found(agent_id: AgentId, process: Option<ProcessIdentity>, session_kind: SessionKind) -> Self {
        Self { agent_id, process, session_kind, origin: IdOrigin::Found, via: None, parallel_to: None }
    }

    /// The caller under an id that it was given by hand.
    #[must_use]
    pub fn overridden(self, agent_id: AgentId) -> Self {
        Self { agent_id, origin: IdOrigin::Override, parallel_to: None, ..self }
    }

    /// The caller under an id that it chose for an agent of its own: a program, whoever runs it.
    #[must_use]
    pub fn choosing(self, agent_id: AgentId) -> Self {
        Self { agent_id, origin: IdOrigin::Chosen, session_kind: SessionKind::McpHarness, parallel_to: None, ..self }
    }

    /// The caller under the id that its credential was made for: a program, whoever runs it.
    #[must_use]
    pub fn bound_to(self, agent_id: AgentId) -> Self {
        Self { origin: IdOrigin::Bound, ..self.choosing(agent_id) }
    }

    /// The caller, who came with a credential of this name.
    #[must_use]
    pub fn by_way_of(self, credential: &str) -> Self {
        Self { via: Some(credential.into()), ..self }
    }

    /// Whether the id was given by hand.
    pub fn is_overridden(&self) -> bool {
        self.origin == IdOrigin::Override
    }
}

/// What a would-be owner shows: the contract's fencing pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// `expected_turn_id`.
    pub turn: Fence,
    /// `lease_id`.
    pub lease_id: LeaseId,
}

/// What somebody wants to be called.
#[derive(Clone, Debug, Default)]
pub struct NewIdentity {
    /// The name, if they choose one.
    pub name: Option<AgentName>,
    /// What they are here for, if they say.
    pub role: Option<Role>,
    /// Names that are not in use, and not free either.
    pub former: Vec<Former>,
}

/// What somebody acts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authority {
    /// As a member of the room.
    Member,
    /// As the agent of a job that is in force in the room, member or not.
    JobAgent,
    /// As a person who steers, member or not.
    Operator,
}

/// The end of a room, as somebody wants it.
#[derive(Clone, Debug)]
pub struct Closing {
    /// The turn the caller believes current.
    pub expected_turn: Fence,
    /// The lease, when the caller is the owner.
    pub lease_id: Option<LeaseId>,
    /// The reason, for people.
    pub reason: Option<String>,
}

/// Other timings, as somebody wants them.
#[derive(Clone, Debug)]
pub struct PolicySetting {
    /// The timings that change.
    pub change: PolicyChange,
    /// The turn that the caller means, if it says.
    pub expected_turn: Option<Fence>,
    /// The lease that it shows, if it does.
    pub lease_id: Option<LeaseId>,
}
