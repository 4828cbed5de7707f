//! Why a room says no, with what the caller needs to act on it.

use serde::Serialize;

use super::{Occupant, RoomState};
use crate::{
    agent::{Presence, Rejection},
    code::ErrorCode,
    handoff::InvalidHandoff,
    ids::AgentId,
    lease::Fence,
    limits,
    policy::InvalidPolicy,
    process::Guardian,
    time::Timestamp,
};

/// Why a command was refused. A refusal is an answer, not a failure.
///
/// Serialised, a variant is its own fields: an adapter puts them beside `error` and `message`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(untagged)]
pub enum Refusal {
    /// The caller writes against the wrong turn.
    #[error("Turn {expected_turn_id} is not current: the room is at turn {current_turn_id}.{}", kept(kept_by.as_ref()))]
    TurnMismatch {
        /// What was shown.
        expected_turn_id: Fence,
        /// What is.
        current_turn_id: Fence,
        /// Who holds the stick.
        current_owner: Option<AgentId>,
        /// The guardian that keeps the stick, where a person holds it.
        #[serde(skip_serializing_if = "Option::is_none")]
        kept_by: Option<Guardian>,
        /// How the room stands.
        room_state: RoomState,
    },
    /// The caller is in the current turn but does not hold its fencing token.
    #[error("{why}{}", kept(kept_by.as_ref()))]
    StaleLease {
        /// What exactly does not match.
        #[serde(skip)]
        why: &'static str,
        /// Who holds the stick.
        current_owner: Option<AgentId>,
        /// The guardian that keeps the stick, where a person holds it.
        #[serde(skip_serializing_if = "Option::is_none")]
        kept_by: Option<Guardian>,
        /// The current turn.
        current_turn_id: Fence,
        /// How the room stands.
        room_state: RoomState,
    },
    /// The caller is not a member.
    #[error("{agent_id} is not a member of this room.")]
    NotAMember {
        /// Who asked.
        agent_id: AgentId,
    },
    /// The caller's id belongs to another process or credential.
    #[error("{agent_id} is in use by {}.", occupant.describe())]
    IdInUse {
        /// The id.
        agent_id: AgentId,
        /// Its rightful user.
        #[serde(flatten)]
        occupant: Occupant,
    },
    /// The target of a pass is not an active member.
    #[error("pass_stick target must be an active room member; {to_agent_id} {why}.")]
    UnknownMember {
        /// Who was meant, as it was said.
        to_agent_id: String,
        /// What is wrong with them.
        #[serde(skip)]
        why: &'static str,
        /// Who could be meant.
        active_members: Vec<AgentId>,
    },
    /// The owner passed to itself.
    #[error("{to_agent_id} already holds the stick.")]
    PassToSelf {
        /// The owner.
        to_agent_id: AgentId,
    },
    /// There is nothing to take over.
    #[error("The stick cannot be taken over: {why}.{}", kept(kept_by.as_ref()))]
    TakeoverUnavailable {
        /// Why not.
        #[serde(skip)]
        why: &'static str,
        /// How the room stands.
        room_state: RoomState,
        /// The current turn.
        current_turn_id: Fence,
        /// Who holds the stick.
        #[serde(skip_serializing_if = "Option::is_none")]
        current_owner: Option<AgentId>,
        /// The guardian that keeps the stick, where a person holds it.
        #[serde(skip_serializing_if = "Option::is_none")]
        kept_by: Option<Guardian>,
        /// Who it is kept for.
        #[serde(skip_serializing_if = "Option::is_none")]
        reserved_for: Option<AgentId>,
        /// When a takeover opens.
        #[serde(skip_serializing_if = "Option::is_none")]
        available_at: Option<Timestamp>,
    },
    /// Others come before the prior owner.
    #[error("You were the last to hold the stick; another active member may take it over.")]
    PriorOwner {
        /// Who.
        candidates: Vec<AgentId>,
    },
    /// It is not the caller's turn.
    #[error("It is not your turn.{}", kept(kept_by.as_ref()))]
    NotYourTurn {
        /// How the room stands.
        room_state: RoomState,
        /// Who holds the stick.
        current_owner: Option<AgentId>,
        /// The guardian that keeps the stick, where a person holds it.
        #[serde(skip_serializing_if = "Option::is_none")]
        kept_by: Option<Guardian>,
        /// Who it is kept for.
        reserved_for: Option<AgentId>,
    },
    /// The owner wants to leave with the stick.
    #[error("You hold the stick (turn {current_turn_id}); it cannot leave with you.")]
    HoldsStick {
        /// The turn.
        current_turn_id: Fence,
    },
    /// Somebody wants to remove the owner, with the stick.
    #[error(
        "{current_owner} holds the stick (turn {current_turn_id}) until {lease_expires_at}; it cannot leave with it."
    )]
    RemovesHolder {
        /// The owner.
        current_owner: AgentId,
        /// The turn.
        current_turn_id: Fence,
        /// End of its lease, unless it goes on renewing it.
        lease_expires_at: Timestamp,
    },
    /// Somebody wants to end a room whose stick, with its handoff, is kept for another.
    #[error(
        "The stick and its handoff from {from_agent_id} are kept for {reserved_for} until {claim_expires_at}; nobody else may close the room."
    )]
    KeptForAnother {
        /// For whom.
        reserved_for: AgentId,
        /// Who handed it on.
        from_agent_id: AgentId,
        /// Until when.
        claim_expires_at: Timestamp,
        /// The turn.
        current_turn_id: Fence,
        /// How the room stands.
        room_state: RoomState,
    },
    /// The room is over.
    #[error("The room is closed.")]
    Closed,
    /// The handoff says too little or too much.
    #[error("{source}")]
    InvalidHandoff {
        /// Which field.
        field: String,
        /// What is wrong.
        #[serde(skip)]
        source: InvalidHandoff,
    },
    /// The reason says too little or too much.
    #[error("reason {why}.")]
    InvalidReason {
        /// What is wrong.
        #[serde(skip)]
        why: String,
        /// Which field.
        field: &'static str,
    },
    /// The note says too little or too much.
    #[error("text {why}.")]
    InvalidNote {
        /// What is wrong.
        #[serde(skip)]
        why: String,
        /// Which field.
        field: &'static str,
    },
    /// The name says too little or too much.
    #[error("name {why}.")]
    InvalidName {
        /// What is wrong.
        #[serde(skip)]
        why: String,
        /// Which field.
        field: &'static str,
    },
    /// A timing makes no sense.
    #[error("{source}.")]
    InvalidPolicy {
        /// Which field.
        field: &'static str,
        /// What is wrong.
        #[serde(skip)]
        source: InvalidPolicy,
    },
    /// Timings are the owner's to change.
    #[error("Only the owner of the current turn, or an operator, changes a room's timings.")]
    OwnerOnly {
        /// The role that may.
        needs: &'static str,
        /// The holder of the stick.
        current_owner: Option<AgentId>,
        /// The current turn.
        current_turn_id: Fence,
        /// How the room stands.
        room_state: RoomState,
    },
    /// A part of the policy that decides what agents may do.
    #[error("Only an operator changes {field} in a room's policy.")]
    OperatorOnly {
        /// The field.
        field: &'static str,
        /// The role that may.
        needs: &'static str,
    },
    /// Somebody wants to choose what wakes another agent.
    #[error("Only {agent_id} itself or an operator chooses what wakes it.")]
    WakesAnother {
        /// The agent.
        agent_id: AgentId,
        /// The role that may.
        needs: &'static str,
    },
    /// The new order is not an order of the members.
    #[error("order must name every member exactly once.")]
    InvalidOrder {
        /// Members it leaves out.
        missing: Vec<AgentId>,
        /// Names and ids of nobody here.
        unknown: Vec<String>,
        /// Names that come twice.
        repeated: Vec<AgentId>,
    },
    /// Another has, or had, this name.
    #[error("The name {name} {why}.")]
    NameTaken {
        /// The name.
        name: String,
        /// Whose it is.
        agent_id: AgentId,
        /// How.
        #[serde(skip)]
        why: &'static str,
    },
    /// An identity cannot be resumed.
    #[error("{name} cannot be adopted: {why}.")]
    AdoptionRejected {
        /// The identity.
        name: String,
        /// Whose it was last.
        prior_session_agent: AgentId,
        /// Why not, in one word.
        reason: Rejection,
        /// Why not.
        #[serde(skip)]
        why: String,
        /// What was found.
        evidence: String,
        /// How present its own session is.
        prior_presence: Presence,
        /// The last call of that session, while it is a member.
        #[serde(skip_serializing_if = "Option::is_none")]
        prior_last_seen_at: Option<Timestamp>,
    },
    /// There is no room for another member.
    #[error("The room already has {} members.", limits::MEMBERS)]
    TooManyMembers {
        /// The most there can be.
        limit: usize,
    },
}

impl Refusal {
    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::TurnMismatch { .. } => ErrorCode::TurnMismatch,
            Self::StaleLease { .. } | Self::NotYourTurn { .. } | Self::KeptForAnother { .. } => ErrorCode::StaleLease,
            Self::NotAMember { .. } | Self::UnknownMember { .. } => ErrorCode::UnknownMember,
            Self::IdInUse { .. } => ErrorCode::IdInUse,
            Self::PassToSelf { .. } => ErrorCode::InvalidTarget,
            Self::TakeoverUnavailable { .. } => ErrorCode::TakeoverUnavailable,
            Self::PriorOwner { .. } => ErrorCode::PriorOwner,
            Self::HoldsStick { .. } | Self::RemovesHolder { .. } => ErrorCode::HoldsStick,
            Self::Closed => ErrorCode::RoomClosed,
            Self::InvalidHandoff { .. } => ErrorCode::InvalidHandoff,
            Self::InvalidReason { .. } => ErrorCode::InvalidReason,
            Self::InvalidNote { .. } => ErrorCode::InvalidNote,
            Self::InvalidName { .. } => ErrorCode::InvalidInput,
            Self::InvalidPolicy { .. } => ErrorCode::InvalidPolicy,
            Self::OwnerOnly { .. } | Self::OperatorOnly { .. } | Self::WakesAnother { .. } => ErrorCode::Forbidden,
            Self::InvalidOrder { .. } => ErrorCode::InvalidOrder,
            Self::NameTaken { .. } => ErrorCode::DuplicateAgentId,
            Self::AdoptionRejected { .. } => ErrorCode::AdoptionRejected,
            Self::TooManyMembers { .. } => ErrorCode::TooManyMembers,
        }
    }
}

/// Names the guardian that keeps a stick, in a sentence of its own.
fn kept(guardian: Option<&Guardian>) -> String {
    guardian.map_or_else(String::new, |guardian| format!(" The stick is kept by {guardian}."))
}

impl From<InvalidHandoff> for Refusal {
    fn from(source: InvalidHandoff) -> Self {
        Self::InvalidHandoff { field: source.field.clone(), source }
    }
}

impl From<InvalidPolicy> for Refusal {
    fn from(source: InvalidPolicy) -> Self {
        Self::InvalidPolicy { field: source.field, source }
    }
}
