//! What happened in a room, to its members and to the stick. Each event carries all that folding needs and all that
//! its decision used.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ClaimReason, TakeoverReason};
use crate::{
    agent::{Presence, ResumeReason},
    event::{Concern, events},
    handoff::Handoff,
    ids::{AgentId, BeadId, LeaseId, Role, Seq},
    lease::Fence,
    policy::{Policy, Wake},
    process::{Liveness, ProcessIdentity, Proof, SessionKind},
    time::Timestamp,
    tree,
};

events! {
    /// The room was opened.
    "room.create" => Created,
    /// Someone became a member, or came back as another process.
    "member.join" => Joined,
    /// Someone stopped being a member.
    "member.leave" => Left,
    /// A member's session ended, and may be resumed.
    "member.rest" => Rested,
    /// The turn order changed.
    "member.reorder" => Reordered,
    /// A member took another name or role.
    "agent.register" => Registered,
    /// A member resumed the identity of another session.
    "agent.resume" => Resumed,
    /// It was chosen what wakes a member.
    "agent.wake" => WakeChosen,
    /// A turn began.
    "stick.claim" => Claimed,
    /// A turn ended, for whoever is next.
    "stick.release" => Released,
    /// A turn ended, for a chosen member.
    "stick.pass" => Passed,
    /// A turn began in place of someone who did not respond.
    "stick.takeover" => TakenOver,
    /// Someone left a remark.
    "room.note" => Noted,
    /// The timings changed.
    "room.policy" => PolicySet,
    /// The room took another name.
    "room.rename" => Renamed,
    /// The room ended.
    "room.close" => Closed,
}

/// A pass has the shape of a release; only the choice of recipient differs.
type Passed = Released;

/// The room was opened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Created {
    /// Where, when the room belongs to a workspace.
    pub canonical_path: Option<String>,
    /// What it is called, where it has no path or wants a name beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How many events the rooms had that were at this path before: protocol ids go on from there.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub earlier_events: u64,
    /// With which timings.
    pub policy: Policy,
}

/// Someone became a member, or came back as another process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Joined {
    /// Who.
    pub agent_id: AgentId,
    /// What people call them.
    pub display_name: String,
    /// What they are here for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// What stands behind them.
    pub session_kind: SessionKind,
    /// The exact process.
    pub process: Option<ProcessIdentity>,
    /// Whether they were a member already.
    #[serde(default)]
    pub rejoin: bool,
    /// Whether the id was given by hand.
    #[serde(default)]
    pub agent_id_override: bool,
    /// The credential that they came with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added_by: Option<String>,
    /// The agent whose conversation they share as a second process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel_to: Option<AgentId>,
    /// Whether the process also holds the turn they have from now on: a guardian that a person puts behind it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeps_turn: bool,
}

/// Someone stopped being a member.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Left {
    /// Who.
    pub agent_id: AgentId,
    /// Where a reservation that was theirs went.
    #[serde(default)]
    pub reserved_for: Option<AgentId>,
    /// Until when it is kept there.
    #[serde(default)]
    pub claim_expires_at: Option<Timestamp>,
    /// Proof of their death, where they did not leave by themselves: they held, reserved, owned and owed nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired: Option<Proof>,
}

/// A member's session ended, and may be resumed. It stays a member, and is not there.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rested {
    /// The member.
    pub agent_id: AgentId,
    /// Until when it may be resumed.
    pub until: Timestamp,
    /// The member whom a reservation that was theirs went to.
    pub reserved_for: Option<AgentId>,
    /// Until when it is kept there.
    pub claim_expires_at: Option<Timestamp>,
    /// Proof of the process's death, where the session did not say itself that it ended. A reservation then stays.
    pub proof: Option<Proof>,
}

/// The turn order changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reordered {
    /// Every member, in the new order.
    pub order: Vec<AgentId>,
}

/// A member took another name or role.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Registered {
    /// Who.
    pub agent_id: AgentId,
    /// What people call them from now on.
    pub display_name: String,
    /// What they are here for from now on.
    pub role: Option<Role>,
    /// What they were called.
    pub previous_name: String,
}

/// It was chosen what wakes a member while it is idle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WakeChosen {
    /// The member.
    pub agent_id: AgentId,
    /// The choice; without one the room's policy counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wake: Option<Wake>,
}

/// A member resumed the identity of another session: its name and role, and in the events that follow its scopes, tasks
/// and inbox.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Resumed {
    /// Who resumed it.
    pub agent_id: AgentId,
    /// Whether they become a member by it.
    pub joins: bool,
    /// What stands behind them.
    pub session_kind: SessionKind,
    /// The exact process.
    pub process: Option<ProcessIdentity>,
    /// Whether the id was given by hand.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub agent_id_override: bool,
    /// The credential that they came with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added_by: Option<String>,
    /// The agent whose conversation they share as a second process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel_to: Option<AgentId>,
    /// The name that goes on.
    pub adopted_agent: String,
    /// The role that goes on.
    pub role: Option<Role>,
    /// Whose session had it last.
    pub prior_session_agent: AgentId,
    /// What becomes of that session's membership: the name it goes on under, if it has to stay because the stick is its
    /// own or kept for it. Otherwise it has left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior_stays_as: Option<String>,
    /// Why it was allowed.
    pub resume_reason: ResumeReason,
    /// The evidence, in a sentence.
    pub evidence: String,
    /// Tasks and beads that go on.
    pub bead_ids: Vec<BeadId>,
    /// The scopes that were looked at.
    pub scopes: Vec<String>,
    /// How present the prior session was.
    pub prior_presence: Presence,
    /// What was seen of its process.
    pub prior_liveness: Liveness,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What every grant records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Granted {
    /// The new turn.
    pub turn_id: Fence,
    /// Its token.
    pub lease_id: LeaseId,
    /// When it first expires.
    pub lease_expires_at: Timestamp,
    /// The exact process that holds it.
    pub process: Option<ProcessIdentity>,
}

/// A turn began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Claimed {
    /// The grant.
    #[serde(flatten)]
    pub grant: Granted,
    /// How it came about.
    pub reason: ClaimReason,
    /// Whose handoff came with it.
    pub from_agent_id: Option<AgentId>,
    /// The event that carries the handoff.
    pub handoff_seq: Option<Seq>,
}

/// A turn ended with a handoff.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Released {
    /// The turn that ended.
    pub turn_id: Fence,
    /// Who may claim next.
    pub to_agent_id: Option<AgentId>,
    /// Until when it is kept for them.
    pub claim_expires_at: Option<Timestamp>,
    /// The handoff, as it was given.
    #[serde(deserialize_with = "Handoff::stored")]
    pub handoff: Handoff,
    /// The workspace's files as they were left, where the workspace is a git working tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<tree::Record>,
}

/// A turn began in place of someone who did not respond.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TakenOver {
    /// The grant.
    #[serde(flatten)]
    pub grant: Granted,
    /// Who lost the stick or the right to claim it.
    pub revoked_agent_id: AgentId,
    /// What made it possible.
    pub basis: TakeoverReason,
    /// What was seen of their process at that moment.
    pub liveness: Liveness,
    /// Their exact process.
    pub revoked_process: Option<ProcessIdentity>,
    /// When their lease or claim ran out, or would have.
    pub expired_at: Timestamp,
    /// What the new owner said.
    pub reason: String,
}

/// Someone left a remark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Noted {
    /// The remark.
    pub text: String,
}

/// The timings changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PolicySet {
    /// All of them, as they are now.
    pub policy: Policy,
}

/// The room took another name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Renamed {
    /// Which.
    pub name: String,
}

/// The room ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Closed {
    /// Why.
    pub reason: Option<String>,
}

impl Event {
    /// Whom it concerns besides the actor.
    pub fn subject(&self) -> Option<&AgentId> {
        match self {
            Self::Claimed(claimed) => claimed.from_agent_id.as_ref(),
            Self::Released(released) | Self::Passed(released) => released.to_agent_id.as_ref(),
            Self::TakenOver(taken) => Some(&taken.revoked_agent_id),
            Self::Left(left) => left.reserved_for.as_ref(),
            Self::Rested(rested) => rested.reserved_for.as_ref(),
            Self::Resumed(resumed) => Some(&resumed.prior_session_agent),
            Self::WakeChosen(chosen) => Some(&chosen.agent_id),
            Self::Created(_)
            | Self::Joined(_)
            | Self::Reordered(_)
            | Self::Registered(_)
            | Self::Noted(_)
            | Self::PolicySet(_)
            | Self::Renamed(_)
            | Self::Closed(_) => None,
        }
    }

    /// Who should hear of it first.
    pub fn concerns(&self) -> Concern<'_> {
        match self {
            Self::Released(released) | Self::Passed(released) => match &released.to_agent_id {
                Some(recipient) => Concern::One(recipient),
                None => Concern::Everyone,
            },
            Self::Left(left) => left.reserved_for.as_ref().map_or(Concern::Everyone, Concern::One),
            Self::Rested(rested) => rested.reserved_for.as_ref().map_or(Concern::Everyone, Concern::One),
            // Something may wait that wakes it from now on.
            Self::WakeChosen(chosen) => Concern::One(&chosen.agent_id),
            Self::Closed(_) => Concern::Everyone,
            Self::Created(_)
            | Self::Joined(_)
            | Self::Reordered(_)
            | Self::Registered(_)
            | Self::Resumed(_)
            | Self::Claimed(_)
            | Self::TakenOver(_)
            | Self::Noted(_)
            | Self::PolicySet(_)
            | Self::Renamed(_) => Concern::Nobody,
        }
    }

    /// The record of the tree that it carries.
    pub(crate) fn tree(&self) -> Option<&tree::Record> {
        match self {
            Self::Released(released) | Self::Passed(released) => released.tree.as_ref(),
            Self::Created(_)
            | Self::Joined(_)
            | Self::Left(_)
            | Self::Rested(_)
            | Self::Reordered(_)
            | Self::Registered(_)
            | Self::Resumed(_)
            | Self::WakeChosen(_)
            | Self::Claimed(_)
            | Self::TakenOver(_)
            | Self::Noted(_)
            | Self::PolicySet(_)
            | Self::Renamed(_)
            | Self::Closed(_) => None,
        }
    }

    /// The handoff it carries.
    pub(crate) fn handoff(&self) -> Option<&Handoff> {
        match self {
            Self::Released(released) | Self::Passed(released) => Some(&released.handoff),
            Self::Created(_)
            | Self::Joined(_)
            | Self::Left(_)
            | Self::Rested(_)
            | Self::Reordered(_)
            | Self::Registered(_)
            | Self::Resumed(_)
            | Self::WakeChosen(_)
            | Self::Claimed(_)
            | Self::TakenOver(_)
            | Self::Noted(_)
            | Self::PolicySet(_)
            | Self::Renamed(_)
            | Self::Closed(_) => None,
        }
    }
}
