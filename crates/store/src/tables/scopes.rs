//! Reservations of paths, in force and ended.

use baton_core::{
    ids::{AgentId, RoomId, Seq},
    lease::{Fence, Lease},
    scope::{Ended, Reservation, Scopes},
};

use crate::{
    StoreError,
    column::Empty,
    engine::Tx,
    question::{list, questions},
    sql::select,
    table::table,
};

table! {
    "scopes": Reservation |of| {
        key |id| { reservation = id }
        once { scope = of.scope, reserved_at_ms = of.since }
        changes {
            owner = of.lease.holder,
            bead_id = of.bead_id,
            expires_at_ms = of.lease.expires_at,
            ended_at_ms = of.ended.map(|ended| ended.at),
            ended_how = of.ended.map(|ended| ended.how),
        }
    }
    current "ended_at_ms IS NULL"
    read Self {
        lease: Lease { holder: owner, fence: fence(reservation), expires_at: expires_at_ms },
        scope,
        bead_id,
        since: reserved_at_ms,
        ended: match ended_at_ms {
            Some(at) => Some(Ended { at, how: Option::ok_or(ended_how, Empty("ended_how"))? }),
            None => None,
        },
    }
}

/// The place of a grant in the log is its fence.
fn fence(grant: Seq) -> Fence {
    Fence(grant.0)
}

pub(crate) const IN_FORCE: &str =
    select!(Reservation, "WHERE room_id = ?1 AND ended_at_ms IS NULL ORDER BY reservation");

/// Reservations that have not ended, in the order of their grants: also those that have run out and of which no event
/// says so yet.
pub fn in_force(tx: &mut dyn Tx, room: &RoomId) -> Result<Scopes, StoreError> {
    Ok(list(tx, IN_FORCE, room, &[])?.into_iter().collect())
}

questions! {
    /// The archive of a room, newest first.
    pub fn ended(limit: u32) -> Vec<Reservation> = ENDED: "
        WHERE room_id = ?1 AND ended_at_ms IS NOT NULL
        ORDER BY ended_at_ms DESC, reservation DESC
        LIMIT ?2
    ";

    /// Reservations of an agent that ran out, newest first.
    pub fn expired_of(agent: &AgentId, limit: u32) -> Vec<Reservation> = EXPIRED_OF: "
        WHERE room_id = ?1 AND owner = ?2 AND ended_how = 'expired'
        ORDER BY reservation DESC
        LIMIT ?3
    ";
}
