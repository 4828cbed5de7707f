//! Reservations of paths, in force and ended.

use baton_core::{
    ids::{AgentId, BeadId, RoomId},
    lease::{Fence, Lease},
    scope::{Ended, Reservation, Scopes},
};

use crate::{
    StoreError,
    engine::{Changes, Param, Row, Tx},
    fields::{Fields, number},
};

/// A reservation as [`reservation`] reads it, from the rows that are meant.
macro_rules! reservations {
    ($which:literal) => {
        concat!(
            "
    SELECT reservation, scope, owner, bead_id, reserved_at_ms, expires_at_ms, ended_at_ms, ended_how
      FROM scopes",
            $which
        )
    };
}

/// Lists the reservations that have not ended, in the order of their grants.
pub(crate) const IN_FORCE: &str = reservations!(
    "
     WHERE room_id = ?1 AND ended_at_ms IS NULL
     ORDER BY reservation
"
);

/// What is reserved in a room; also what has run out and nobody has said so yet.
pub fn in_force(tx: &mut dyn Tx, room: &RoomId) -> Result<Scopes, StoreError> {
    Ok(Scopes { reservations: collect(tx, IN_FORCE, room, &[room.as_str().into()])? })
}

/// Lists what ended last.
const ENDED: &str = reservations!(
    "
     WHERE room_id = ?1 AND ended_at_ms IS NOT NULL
     ORDER BY ended_at_ms DESC, reservation DESC
     LIMIT ?2
"
);

/// The archive of a room, newest first.
pub fn ended(tx: &mut dyn Tx, room: &RoomId, limit: u32) -> Result<Vec<Reservation>, StoreError> {
    collect(tx, ENDED, room, &[room.as_str().into(), i64::from(limit).into()])
}

/// Lists what ran out under one agent, the last first.
pub(crate) const EXPIRED_OF: &str = reservations!(
    "
     WHERE room_id = ?1 AND owner = ?2 AND ended_how = 'expired'
     ORDER BY reservation DESC
     LIMIT ?3
"
);

/// What an agent had reserved until it ran out, newest first.
pub fn expired_of(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId, limit: u32) -> Result<Vec<Reservation>, StoreError> {
    collect(tx, EXPIRED_OF, room, &[room.as_str().into(), agent.as_str().into(), i64::from(limit).into()])
}

/// Lists all there ever were.
const ALL: &str = reservations!(
    "
     WHERE room_id = ?1
     ORDER BY reservation
"
);

/// Every reservation of a room, for a check of them all.
pub fn all(tx: &mut dyn Tx, room: &RoomId) -> Result<Scopes, StoreError> {
    Ok(Scopes { reservations: collect(tx, ALL, room, &[room.as_str().into()])? })
}

/// Stores a reservation.
const PUT: &str = "
    INSERT INTO scopes (room_id, reservation, scope, owner, bead_id, reserved_at_ms, expires_at_ms, ended_at_ms,
                        ended_how)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        ON CONFLICT (room_id, reservation) DO UPDATE
       SET owner = excluded.owner, bead_id = excluded.bead_id, expires_at_ms = excluded.expires_at_ms,
           ended_at_ms = excluded.ended_at_ms, ended_how = excluded.ended_how
";

/// Stores what has changed between `before` and `after`.
pub fn save(tx: &mut dyn Tx, room: &RoomId, before: &Scopes, after: &Scopes) -> Result<(), StoreError> {
    let changed = after.reservations.iter().filter(|reservation| before.find(reservation.id()) != Some(*reservation));
    changed.into_iter().try_for_each(|reservation| put(tx, room, reservation))
}

fn put(tx: &mut dyn Tx, room: &RoomId, reservation: &Reservation) -> Result<(), StoreError> {
    let ended = reservation.ended;
    tx.execute(
        PUT,
        &[
            room.as_str().into(),
            number(reservation.id().0).into(),
            reservation.scope.as_str().into(),
            reservation.lease.holder.as_str().into(),
            reservation.bead_id.as_ref().map(BeadId::as_str).into(),
            reservation.since.as_millis().into(),
            reservation.lease.expires_at.as_millis().into(),
            ended.map(|ended| ended.at.as_millis()).into(),
            ended.map(|ended| ended.how.as_str()).into(),
        ],
        Changes::One("scopes"),
    )
}

fn collect(
    tx: &mut dyn Tx,
    sql: &'static str,
    room: &RoomId,
    params: &[Param<'_>],
) -> Result<Vec<Reservation>, StoreError> {
    let mut found = Vec::new();
    tx.query(sql, params, &mut |row| {
        found.push(reservation(room, row)?);
        Ok(())
    })?;
    Ok(found)
}

fn reservation(room: &RoomId, row: &dyn Row) -> Result<Reservation, StoreError> {
    let fields = Fields { table: "scopes", key: room.as_str(), row };
    let ended = match fields.optional_time(6)? {
        Some(at) => Some(Ended { at, how: fields.word(7)? }),
        None => None,
    };
    Ok(Reservation {
        lease: Lease { holder: fields.id(2)?, fence: Fence(fields.number(0)?), expires_at: fields.time(5)? },
        scope: fields.text(1)?.to_owned(),
        bead_id: fields.optional(3)?,
        since: fields.time(4)?,
        ended,
    })
}
