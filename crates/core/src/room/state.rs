//! What a room is, and which of the eight states it is in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Actor;
use crate::{
    ids::{AgentId, LeaseId, Role, RoomId, Seq},
    lease::{Fence, Lease, Standing, expired},
    policy::{Policy, Wake},
    process::{Guardian, Liveness, ProcessIdentity, SessionKind, Witness},
    time::Timestamp,
};

/// A room as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// Its id.
    pub id: RoomId,
    /// The workspace it belongs to.
    pub canonical_path: Option<String>,
    /// What it is called, beside its path or instead of one.
    pub name: Option<String>,
    /// Members, in turn order. A member's rank is its index here.
    pub members: Vec<Member>,
    /// The rank from which the default sequence goes on.
    pub sequence_index: usize,
    /// Where the stick is.
    pub stick: Stick,
    /// The fence of the newest grant: the contract's `turn_id`.
    pub turn: Fence,
    /// The timings in force.
    pub policy: Policy,
    /// The newest event.
    pub last_seq: Seq,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When its owner state last changed.
    pub updated_at: Timestamp,
    /// How many events the rooms had that were at its path before.
    pub earlier_events: u64,
}

/// Someone in the room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Who.
    pub agent_id: AgentId,
    /// What people call them.
    pub display_name: String,
    /// What they are here for.
    pub role: Option<Role>,
    /// What stands behind their presence.
    pub session_kind: SessionKind,
    /// The exact process behind them, where one is known.
    pub process: Option<ProcessIdentity>,
    /// Whether their id was given by hand.
    pub overridden: bool,
    /// The credential that added them, where they came with one: nobody else speaks for them.
    pub added_by: Option<String>,
    /// The agent whose conversation they share as a second process.
    pub parallel_to: Option<AgentId>,
    /// The wakes they chose for themselves, before the room's policy.
    pub wake: Option<Wake>,
    /// Set once their session ended and may be resumed.
    pub rest: Option<Rest>,
    /// When they joined.
    pub joined_at: Timestamp,
    /// When they last called.
    pub last_seen_at: Timestamp,
}

/// A session that ended and may be resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rest {
    /// The event of its end: a stick that is kept for it since was meant for it as it is.
    pub since: Seq,
    /// The end of its rest, unless it is resumed.
    pub until: Timestamp,
}

/// Where the stick is. Ownership, reservation and closing exclude each other by construction.
#[expect(clippy::large_enum_variant, reason = "there is one in a room, and mostly somebody has it")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stick {
    /// Nobody has it and nobody in particular is expected; the last handoff may still be waiting.
    Idle(Option<Pending>),
    /// One agent has it.
    Owned(Ownership),
    /// It is kept for one agent for a while.
    Reserved(Reservation),
    /// There are no more turns.
    Closed,
}

/// A handoff that waits in the log for the next holder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The release or pass that carries it.
    pub seq: Seq,
    /// Who wrote it.
    pub from: AgentId,
    /// How it was left.
    pub via: Via,
}

/// How a holder let go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// To whoever is next.
    Release,
    /// To a chosen member.
    Pass,
}

/// The current turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ownership {
    /// Holder, fence and expiry.
    pub lease: Lease,
    /// The token every owner mutation shows.
    pub lease_id: LeaseId,
    /// The exact process the stick was granted to, or the guardian that a person put in its place while it ran. Any
    /// other later process of the same agent takes over, it does not inherit.
    pub process: Option<ProcessIdentity>,
    /// The handoff this turn began with; after a takeover the last one there was, which was somebody else's to act on.
    pub received: Option<Pending>,
    /// Who lost the stick to this turn, where it began as a takeover.
    pub taken_from: Option<AgentId>,
    /// How the turn began.
    pub reason: ClaimReason,
    /// When the turn began.
    pub since: Timestamp,
}

/// A first right of refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// Whose it is.
    pub recipient: AgentId,
    /// When others may take over.
    pub claim_expires_at: Timestamp,
    /// The handoff waiting for them.
    pub pending: Pending,
}

/// How a turn came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ClaimReason {
    /// The previous holder chose this agent.
    DirectPass,
    /// It was this agent's turn in the sequence.
    Sequence,
    /// The stick lay free.
    OpenClaim,
    /// The expected holder did not respond.
    Takeover,
}

impl ClaimReason {
    /// The word for it, on every surface and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DirectPass => "direct_pass",
            Self::Sequence => "sequence",
            Self::OpenClaim => "open_claim",
            Self::Takeover => "takeover",
        }
    }
}

/// The contract's eight states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum RoomState {
    /// Free to claim.
    Idle,
    /// Held under a live lease.
    Owned,
    /// Kept for one member.
    Reserved,
    /// The owner's lease ran out; it may be taken over.
    StaleOwner,
    /// The owner's process is gone; it may be taken over at once.
    OwnerGone,
    /// The recipient's process is gone; it may be taken over at once.
    RecipientGone,
    /// Nobody is here, and the room waits to be resumed.
    Dormant,
    /// Over.
    Closed,
}

impl RoomState {
    /// The state as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Owned => "owned",
            Self::Reserved => "reserved",
            Self::StaleOwner => "stale_owner",
            Self::OwnerGone => "owner_gone",
            Self::RecipientGone => "recipient_gone",
            Self::Dormant => "dormant",
            Self::Closed => "closed",
        }
    }
}

impl Room {
    /// The rank of `agent` in the turn order.
    pub fn rank(&self, agent: &AgentId) -> Option<usize> {
        self.members.iter().position(|member| member.agent_id == *agent)
    }

    /// The member that `agent` is.
    pub fn member(&self, agent: &AgentId) -> Option<&Member> {
        self.members.iter().find(|member| member.agent_id == *agent)
    }

    /// The member that a name or an id means. No name is another's id.
    pub fn named(&self, word: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.agent_id.as_str() == word || member.display_name == word)
    }

    /// The current turn, if someone has it.
    pub fn ownership(&self) -> Option<&Ownership> {
        match &self.stick {
            Stick::Owned(ownership) => Some(ownership),
            Stick::Idle(_) | Stick::Reserved(_) | Stick::Closed => None,
        }
    }

    /// Who holds the stick.
    pub fn owner(&self) -> Option<&AgentId> {
        self.ownership().map(|ownership| &ownership.lease.holder)
    }

    /// The guardian that keeps the stick, where a person holds it through one.
    pub fn guardian(&self) -> Option<Guardian> {
        self.ownership()?.process.as_ref()?.guardian()
    }

    /// The reservation in force.
    pub fn reservation(&self) -> Option<&Reservation> {
        match &self.stick {
            Stick::Reserved(reservation) => Some(reservation),
            Stick::Idle(_) | Stick::Owned(_) | Stick::Closed => None,
        }
    }

    /// The handoff that waits for the next claim.
    pub fn pending(&self) -> Option<&Pending> {
        match &self.stick {
            Stick::Idle(pending) => pending.as_ref(),
            Stick::Reserved(reservation) => Some(&reservation.pending),
            Stick::Owned(_) | Stick::Closed => None,
        }
    }

    /// Which state the room is in. States that someone can act on come before `dormant`.
    pub fn state(&self, now: Timestamp, witness: &dyn Witness) -> RoomState {
        match self.stick_state(now, witness) {
            RoomState::Idle | RoomState::Owned | RoomState::Reserved if !self.inhabited(now, witness) => {
                RoomState::Dormant
            }
            state => state,
        }
    }

    /// The state less dormancy, which needs a look at every member.
    pub(super) fn stick_state(&self, now: Timestamp, witness: &dyn Witness) -> RoomState {
        match &self.stick {
            Stick::Closed => RoomState::Closed,
            Stick::Idle(_) => RoomState::Idle,
            Stick::Owned(ownership) => match ownership.standing(now, witness) {
                Standing::Held => RoomState::Owned,
                Standing::Expired => RoomState::StaleOwner,
                Standing::Gone => RoomState::OwnerGone,
            },
            Stick::Reserved(reservation) if self.is_recipient_gone(now, reservation, witness) => {
                RoomState::RecipientGone
            }
            Stick::Reserved(_) => RoomState::Reserved,
        }
    }

    /// Whether anybody is present or has a live process.
    fn inhabited(&self, now: Timestamp, witness: &dyn Witness) -> bool {
        self.members
            .iter()
            .any(|member| member.is_present(now, &self.policy) || member.liveness(witness) == Liveness::Alive)
    }

    /// Marks `agent` as seen at `now`. Presence is not an event.
    pub fn touch(&mut self, agent: &AgentId, now: Timestamp) {
        if let Some(member) = self.members.iter_mut().find(|member| member.agent_id == *agent) {
            member.last_seen_at = member.last_seen_at.max(now);
        }
    }
}

impl Ownership {
    /// How the lease stands, given what can be seen of the process it was granted to.
    pub fn standing(&self, now: Timestamp, witness: &dyn Witness) -> Standing {
        self.lease.standing(now, &self.liveness(witness))
    }

    /// Whether the stick was granted to the process behind `by`. Possession of the lease is not enough.
    pub fn belongs_to(&self, by: &Actor) -> bool {
        self.lease.holder == by.agent_id && self.is_process(by.process.as_ref())
    }

    /// Whether the stick was granted to this process, or to nobody's in particular and this is nobody's.
    pub fn is_process(&self, process: Option<&ProcessIdentity>) -> bool {
        match (&self.process, process) {
            (Some(granted), Some(caller)) => granted.stands_for(caller),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    /// What can be seen of the process the stick was granted to.
    pub fn liveness(&self, witness: &dyn Witness) -> Liveness {
        self.process.as_ref().map_or(Liveness::Unknown, |process| witness.liveness(process))
    }
}

impl Member {
    /// Whether they called recently.
    pub fn is_present(&self, now: Timestamp, policy: &Policy) -> bool {
        !expired(self.last_seen_at.plus(policy.presence_ttl_ms), now)
    }

    /// The liveness of their process. A person whose guardian has ended is there for as long as their terminal's shell.
    pub fn liveness(&self, witness: &dyn Witness) -> Liveness {
        let Some(process) = &self.process else { return Liveness::Unknown };
        match (witness.liveness(process), process.leader()) {
            (Liveness::Gone(_), Some(leader)) => witness.liveness(&leader),
            (seen, _) => seen,
        }
    }

    /// Whether they count as active: present, not at rest, and not proven gone.
    pub fn is_active(&self, now: Timestamp, policy: &Policy, witness: &dyn Witness) -> bool {
        self.is_present(now, policy) && self.rest.is_none() && !self.liveness(witness).is_gone()
    }
}
