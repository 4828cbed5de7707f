//! How often each collision was met. The log tells of it once.

use std::{collections::BTreeMap, ops::RangeInclusive};

use baton_core::{
    event::Recorded,
    ids::{RoomId, Seq},
    time::Timestamp,
};

use crate::{
    StoreError,
    engine::{Changes, Row, Tx},
    fields::{Fields, number},
    question::{Answer, first, list},
    sql::{Shape, select},
};

/// A collision, and how often it was met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Met {
    /// The reservation that was met.
    pub reservation: Seq,
    /// Its own name among the collisions of the reservation.
    pub collision: String,
    /// The event that tells of it.
    pub seq: Seq,
    /// How often.
    pub times: u64,
    /// When last.
    pub last_at: Timestamp,
}

pub(crate) const FIND: &str = select!(Met, "WHERE room_id = ?1 AND reservation = ?2 AND collision = ?3");

/// The collision, if it was met before.
pub fn find(tx: &mut dyn Tx, room: &RoomId, reservation: Seq, collision: &str) -> Result<Option<Met>, StoreError> {
    first(tx, FIND, room, &[&reservation, &collision])
}

pub(crate) const TOLD: &str = select!(Met, "WHERE room_id = ?1 AND seq >= ?2 AND seq <= ?3");

/// The collisions that events from one place to another tell of.
pub fn told(tx: &mut dyn Tx, room: &RoomId, places: RangeInclusive<Seq>) -> Result<BTreeMap<Seq, Met>, StoreError> {
    let (first, last) = places.into_inner();
    let found: Vec<Met> = list(tx, TOLD, room, &[&first, &last])?;
    Ok(found.into_iter().map(|met| (met.seq, met)).collect())
}

/// Stores a collision.
const PUT: &str = "
    INSERT INTO incursions (room_id, reservation, collision, seq, times, last_at_ms)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT (room_id, reservation, collision) DO UPDATE
       SET seq = excluded.seq, times = excluded.times, last_at_ms = excluded.last_at_ms
";

/// Stores how often a collision was met.
pub fn put(tx: &mut dyn Tx, room: &RoomId, met: &Met) -> Result<(), StoreError> {
    tx.execute(
        PUT,
        &[
            room.as_str().into(),
            number(met.reservation.0).into(),
            met.collision.as_str().into(),
            number(met.seq.0).into(),
            number(met.times).into(),
            met.last_at.as_millis().into(),
        ],
        Changes::One("incursions"),
    )
}

/// The events of collisions that were met since a moment, the one that was met longest ago first.
pub(crate) const SINCE: &str = "
    SELECT log.seq, log.type, log.actor, log.payload, log.created_at_ms, log.turn_id, log.overridden
      FROM incursions
      JOIN log ON log.room_id = incursions.room_id AND log.seq = incursions.seq
     WHERE incursions.room_id = ?1 AND incursions.last_at_ms >= ?2
     ORDER BY incursions.last_at_ms, incursions.seq
     LIMIT ?3
";

/// The events of what was met at one reservation, the last first.
pub(crate) const AT: &str = "
    SELECT log.seq, log.type, log.actor, log.payload, log.created_at_ms, log.turn_id, log.overridden
      FROM incursions
      JOIN log ON log.room_id = incursions.room_id AND log.seq = incursions.seq
     WHERE incursions.room_id = ?1 AND incursions.reservation = ?2
     ORDER BY incursions.seq DESC
     LIMIT ?3
";

/// The events of what was met at one reservation, the last first. Edits without a turn are kept by the handoff since which
/// they were made, in place of a reservation: both are places in the log, and never the same.
pub fn at(tx: &mut dyn Tx, room: &RoomId, reservation: Seq, limit: u32) -> Result<Vec<Recorded>, StoreError> {
    list(tx, AT, room, &[&reservation, &limit])
}

impl Answer for Met {
    const SHAPE: Shape = Shape::of("incursions", &["reservation", "collision", "seq", "times", "last_at_ms"]);

    fn read(room: &RoomId, row: &dyn Row) -> Result<Self, StoreError> {
        let fields = Fields { table: "incursions", key: room.as_str(), row };
        Ok(Self {
            reservation: Seq(fields.number(0)?),
            collision: fields.text(1)?.to_owned(),
            seq: Seq(fields.number(2)?),
            times: fields.number(3)?,
            last_at: fields.time(4)?,
        })
    }
}
