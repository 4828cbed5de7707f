//! What happens to reservations of paths.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Edited, Overlap};
use crate::{
    agent::Presence,
    event::{Concern, events},
    ids::{AgentId, BeadId, Seq},
    process::Liveness,
    time::Timestamp,
};

events! {
    /// Paths were reserved, or a reservation was extended.
    "scope.reserve" => Reserved,
    /// A reservation was given back.
    "scope.release" => Released,
    /// A reservation ran out.
    "scope.expire" => Expired,
    /// A reservation went on with the identity that has it.
    "scope.transfer" => Transferred,
    /// Somebody wanted to go where somebody else is.
    "scope.incursion" => Incursion,
    /// Files of the workspace changed without a turn.
    "scope.edit" => Edited,
}

/// Paths were reserved, or a reservation was extended.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reserved {
    /// For whom.
    pub owner: AgentId,
    /// Which, relative to the room's root.
    pub scope: String,
    /// Until when.
    pub expires_at: Timestamp,
    /// What for.
    pub bead_id: Option<BeadId>,
    /// The reservation that this one extends.
    pub renews: Option<Seq>,
    /// Those that ended for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub displaced: Vec<Displaced>,
}

/// A reservation that ended because its owner did not respond and another wanted its paths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Displaced {
    /// Which.
    pub reservation: Seq,
    /// Whose it was.
    pub owner: AgentId,
    /// What they are called.
    pub owner_name: String,
    /// What it covered.
    pub scope: String,
    /// How present its owner was: what justified it.
    pub liveness: Presence,
    /// What was seen of its owner's process.
    pub process: Liveness,
}

/// A reservation was given back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Released {
    /// Which.
    pub reservation: Seq,
    /// Whose it was.
    pub owner: AgentId,
    /// What it covered.
    pub scope: String,
}

/// A reservation ran out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Expired {
    /// Which.
    pub reservation: Seq,
    /// Whose it was.
    pub owner: AgentId,
    /// What it covered.
    pub scope: String,
    /// When its time ran out.
    pub expired_at: Timestamp,
}

/// A reservation went on with the identity that has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Transferred {
    /// Which.
    pub reservation: Seq,
    /// What it covers.
    pub scope: String,
    /// Whose it was.
    pub from: AgentId,
    /// Whose it is.
    pub to: AgentId,
}

/// Somebody wanted to go where somebody else is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Incursion {
    /// Whether both are the same paths, or one holds the other.
    pub incursion_kind: Overlap,
    /// Who wanted to.
    pub incoming: AgentId,
    /// What they are called.
    pub incoming_agent: String,
    /// Where to.
    pub incoming_scope: String,
    /// Who is there.
    pub owner: AgentId,
    /// What they are called.
    pub owner_agent: String,
    /// What they have reserved.
    pub owner_scope: String,
    /// Their reservation.
    pub reservation: Seq,
    /// How present they were.
    pub owner_liveness: Presence,
    /// What was seen of their process.
    pub owner_process: Liveness,
    /// The command to run next.
    pub resolution_hint: String,
    /// What the owner reserved it for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bead_id: Option<BeadId>,
}

impl Event {
    /// Whom it concerns besides the actor.
    pub(crate) fn subject(&self) -> Option<&AgentId> {
        match self {
            Self::Reserved(reserved) => reserved.displaced.first().map(|displaced| &displaced.owner),
            Self::Released(released) => Some(&released.owner),
            Self::Expired(expired) => Some(&expired.owner),
            Self::Transferred(transferred) => Some(&transferred.from),
            Self::Incursion(incursion) => Some(&incursion.owner),
            Self::Edited(edited) => edited.owner.as_ref(),
        }
    }

    /// Who should hear of it first. No wait for the stick ends by it.
    pub(crate) fn concerns(&self) -> Concern<'_> {
        Concern::Nobody
    }
}
