//! What can be asked of a room. Fresh ids arrive inside, so that deciding needs no randomness.

use std::sync::Arc;

use crate::{
    agent::{Adopting, Former},
    handoff::Handoff,
    ids::{AgentId, AgentName, LeaseId, Role},
    lease::Fence,
    policy::{PolicyChange, Wake},
    process::{ProcessIdentity, SessionKind},
    tree,
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

/// What is asked.
#[derive(Clone, Debug)]
pub enum Action {
    /// Become a member, or come back as one.
    Join {
        /// What to be called and what for; a newcomer who does not say is given a name.
        identity: NewIdentity,
    },
    /// Take another name or role.
    Register {
        /// Which.
        identity: NewIdentity,
    },
    /// Choose what wakes a member while it is idle.
    ChooseWake {
        /// The member.
        agent: AgentId,
        /// The choice; without one the room's policy counts.
        wake: Option<Wake>,
        /// The caller's authority.
        authority: Authority,
    },
    /// Resume the identity of another session.
    Adopt {
        /// Which, and on what grounds.
        adopting: Adopting,
    },
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
        /// The workspace's files, where somebody looked.
        tree: Option<tree::Record>,
    },
    /// Let a chosen member have it.
    Pass {
        /// The fence.
        shown: Shown,
        /// Who should have it: a name or an id.
        to: String,
        /// What they need.
        handoff: Handoff,
        /// The workspace's files, where somebody looked.
        tree: Option<tree::Record>,
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
        /// What the caller acts as.
        authority: Authority,
    },
    /// Stop being a member.
    Leave,
    /// Have another stop being one.
    Remove {
        /// Who.
        agent: AgentId,
    },
    /// Take a member off the list whose process is proven gone.
    Retire {
        /// The member.
        agent: AgentId,
    },
    /// Have a member rest whose session ended.
    Rest {
        /// The member.
        agent: AgentId,
    },
    /// Give the room another name.
    Rename {
        /// Which.
        name: String,
    },
    /// End the room.
    Close {
        /// The turn the caller believes current.
        expected_turn: Fence,
        /// The lease, when the caller is the owner.
        lease_id: Option<LeaseId>,
        /// Why.
        reason: Option<String>,
        /// What the caller acts as.
        authority: Authority,
    },
    /// Change the turn order.
    Reorder {
        /// Every member, once, by name or id.
        order: Vec<String>,
        /// What the caller acts as.
        authority: Authority,
    },
    /// Change the timings.
    SetPolicy {
        /// What changes.
        change: PolicyChange,
        /// The turn that the caller means, if it says.
        expected_turn: Option<Fence>,
        /// The lease that it shows, if it does.
        lease_id: Option<LeaseId>,
        /// What the caller acts as.
        authority: Authority,
    },
}

impl Action {
    /// Joins under whatever name one is given.
    pub fn join() -> Self {
        Self::Join { identity: NewIdentity::default() }
    }
}
