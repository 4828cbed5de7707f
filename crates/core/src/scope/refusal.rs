//! Why paths cannot be had, with whom to talk to.

use serde::Serialize;

use super::{Came, Collision, Overlap, Reservation};
use crate::{agent::Presence, code::ErrorCode, ids::AgentId, time::Timestamp};

/// Why a request about scopes was refused.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, thiserror::Error)]
#[serde(untagged)]
pub enum Refusal {
    /// Somebody who is there has reserved it.
    #[error("{} is reserved: {} has {} and is active.", .0.incoming_scope, .0.owner_agent, .0.scope)]
    Conflict(Box<Met>),
    /// Somebody who does not respond has reserved it.
    #[error("{} is reserved: {} has {} and is {}.", .0.incoming_scope, .0.owner_agent, .0.scope, .0.owner_liveness.as_str())]
    StaleFound(Box<Met>),
    /// It is not the caller's to give back.
    #[error("{scope} is reserved by {owner_agent}, not by you.")]
    ReleaseForbidden {
        /// Which.
        scope: String,
        /// Whose it is.
        owner: AgentId,
        /// What they are called.
        owner_agent: String,
    },
    /// Nobody has reserved it.
    #[error("You have no reservation of {scope}.")]
    NotFound {
        /// Which.
        scope: String,
        /// What the caller has.
        yours: Vec<String>,
    },
    /// Files are changed by the holder of the stick, or by the agent that has reserved them.
    #[error("The workspace is changed by the holder of the stick or under your own scopes. {}; {not_reserved} of the paths are not reserved by you.", stick(.holder.as_ref(), *.held_until, .kept_for.as_ref(), *.is_own))]
    StickNeeded {
        /// The holder of the stick.
        holder: Option<AgentId>,
        /// The end of their lease.
        held_until: Option<Timestamp>,
        /// The member that the stick is kept for.
        kept_for: Option<AgentId>,
        /// Whether the caller's own lease is meant: it ran out, or was granted to another process of theirs.
        #[serde(skip)]
        is_own: bool,
        /// How many of the paths the caller has not reserved.
        not_reserved: usize,
        /// The first of them.
        paths: Vec<String>,
    },
    /// The caller has as many as one agent can have.
    #[error("An agent can have at most {limit} scopes.")]
    TooMany {
        /// How many.
        limit: usize,
    },
}

/// Whom a request met.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Met {
    /// What was asked for.
    pub incoming_scope: String,
    /// What is reserved.
    pub scope: String,
    /// How both relate.
    pub incursion_kind: Overlap,
    /// Who has reserved it.
    pub owner: AgentId,
    /// What they are called.
    pub owner_agent: String,
    /// How present they are.
    pub owner_liveness: Presence,
    /// Until when it is theirs.
    pub expires_at: Timestamp,
    /// The command that leads on.
    pub resolution_hint: String,
    /// Every scope that is in the way, and whose it is.
    pub in_the_way: Vec<String>,
}

impl Met {
    fn of(first: &Collision, all: &[Collision]) -> Box<Self> {
        let line = |collision: &Collision| {
            format!("{} ({}, {})", collision.reservation.scope, collision.owner_name, collision.presence.as_str())
        };
        Box::new(Self {
            incoming_scope: first.incoming.clone(),
            scope: first.reservation.scope.clone(),
            incursion_kind: first.overlap,
            owner: first.reservation.lease.holder.clone(),
            owner_agent: first.owner_name.clone(),
            owner_liveness: first.presence,
            expires_at: first.reservation.lease.expires_at,
            resolution_hint: first.hint(Came::Short),
            in_the_way: all.iter().map(line).collect(),
        })
    }
}

impl Refusal {
    pub(super) fn conflict(first: &Collision, all: &[Collision]) -> Self {
        Self::Conflict(Met::of(first, all))
    }

    pub(super) fn stale_found(first: &Collision, all: &[Collision]) -> Self {
        Self::StaleFound(Met::of(first, all))
    }

    pub(super) fn forbidden(scope: &str, other: &Reservation, owner_agent: String) -> Self {
        Self::ReleaseForbidden { scope: scope.to_owned(), owner: other.lease.holder.clone(), owner_agent }
    }

    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Conflict(_) => ErrorCode::ReservationConflict,
            Self::StaleFound(_) => ErrorCode::ReservationStaleFound,
            Self::ReleaseForbidden { .. } => ErrorCode::ReleaseForbidden,
            Self::NotFound { .. } => ErrorCode::ReservationNotFound,
            Self::StickNeeded { .. } => ErrorCode::StickNeeded,
            Self::TooMany { .. } => ErrorCode::InvalidArgs,
        }
    }

    /// The command that leads on, where there is one.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Conflict(met) | Self::StaleFound(met) => Some(&met.resolution_hint),
            Self::ReleaseForbidden { .. } | Self::NotFound { .. } | Self::StickNeeded { .. } | Self::TooMany { .. } => {
                None
            }
        }
    }
}

/// Where the stick is, in a sentence.
fn stick(holder: Option<&AgentId>, until: Option<Timestamp>, kept_for: Option<&AgentId>, is_own: bool) -> String {
    match (holder, until, kept_for) {
        (Some(_), Some(until), _) if is_own => {
            format!("Your turn is not in force in this process (its lease ends at {until})")
        }
        (Some(holder), Some(until), _) => format!("{holder} holds the stick until {until}"),
        (_, _, Some(recipient)) => format!("The stick is kept for {recipient}"),
        (_, _, None) => "The stick is free".to_owned(),
    }
}
