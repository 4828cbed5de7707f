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
    sql::select,
    table::{list, table},
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

/// Lists the reservations that have not ended, in the order of their grants.
pub(crate) const IN_FORCE: &str = select!(
    Reservation,
    "
     WHERE room_id = ?1 AND ended_at_ms IS NULL
     ORDER BY reservation
"
);

/// What is reserved in a room; also what has run out and nobody has said so yet.
pub fn in_force(tx: &mut dyn Tx, room: &RoomId) -> Result<Scopes, StoreError> {
    Ok(list(tx, IN_FORCE, room, &[room.as_str().into()])?.into_iter().collect())
}

/// Lists what ended last.
const ENDED: &str = select!(
    Reservation,
    "
     WHERE room_id = ?1 AND ended_at_ms IS NOT NULL
     ORDER BY ended_at_ms DESC, reservation DESC
     LIMIT ?2
"
);

/// The archive of a room, newest first.
pub fn ended(tx: &mut dyn Tx, room: &RoomId, limit: u32) -> Result<Vec<Reservation>, StoreError> {
    list(tx, ENDED, room, &[room.as_str().into(), i64::from(limit).into()])
}

/// Lists what ran out under one agent, the last first.
pub(crate) const EXPIRED_OF: &str = select!(
    Reservation,
    "
     WHERE room_id = ?1 AND owner = ?2 AND ended_how = 'expired'
     ORDER BY reservation DESC
     LIMIT ?3
"
);

/// What an agent had reserved until it ran out, newest first.
pub fn expired_of(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId, limit: u32) -> Result<Vec<Reservation>, StoreError> {
    list(tx, EXPIRED_OF, room, &[room.as_str().into(), agent.as_str().into(), i64::from(limit).into()])
}
