//! The log: one row per event, clustered by room and place.

use baton_core::{
    event::{Event, Recorded, UnknownEvent},
    ids::{AgentId, RoomId, Seq},
    job::JobId,
    lease::Fence,
    time::Timestamp,
};

use crate::{
    StoreError,
    engine::{Changes, Row, Tx},
    question::{Answer, Argument, list, list_each, questions},
    sql::{Shape, select},
};

/// Appends an event. The primary key refuses a place that is taken.
const APPEND: &str = "
    INSERT INTO log (room_id, seq, type, actor, subject, turn_id, payload, created_at_ms, job, overridden)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
";

/// Stores an event at its place, and has those who wait on the room woken when it is committed.
pub fn append(tx: &mut dyn Tx, recorded: &Recorded) -> Result<(), StoreError> {
    append_written(tx, recorded, &payload_of(recorded)?)
}

/// Stores an event whose payload is written already.
pub fn append_written(tx: &mut dyn Tx, recorded: &Recorded, payload: &str) -> Result<(), StoreError> {
    insert(tx, recorded, payload)?;
    tx.ring(&recorded.room_id, recorded.event.concerns());
    Ok(())
}

/// Stores an event that happened before, elsewhere: nobody is woken.
pub fn restore(tx: &mut dyn Tx, recorded: &Recorded) -> Result<(), StoreError> {
    insert(tx, recorded, &payload_of(recorded)?)
}

fn payload_of(recorded: &Recorded) -> Result<String, StoreError> {
    recorded.event.payload().map_err(|error| bad_row(&recorded.room_id, recorded.seq, error))
}

fn insert(tx: &mut dyn Tx, recorded: &Recorded, payload: &str) -> Result<(), StoreError> {
    tx.execute(
        APPEND,
        &[
            recorded.room_id.as_str().into(),
            int(recorded.seq).into(),
            recorded.event.kind().into(),
            recorded.actor.as_str().into(),
            recorded.event.subject().map(|subject| subject.as_str()).into(),
            (recorded.turn.0 as i64).into(),
            payload.into(),
            recorded.at.as_millis().into(),
            recorded.event.job().map(|job| i64::from(job.0)).into(),
            i64::from(recorded.overridden).into(),
        ],
        Changes::Any,
    )
}

questions! {
    /// The event at one place.
    pub fn find(seq: Seq) -> Option<Recorded> = FIND: "
        WHERE room_id = ?1 AND seq = ?2
    ";

    /// The newest events older than `before` (all of them, when it is not given), newest first.
    pub fn before(before: Option<Seq>, limit: u32) -> Vec<Recorded> = BEFORE: "
        WHERE room_id = ?1 AND seq < ?2
        ORDER BY seq DESC
        LIMIT ?3
    ";

    /// The oldest events newer than `after`, oldest first.
    pub fn after(after: Seq, limit: u32) -> Vec<Recorded> = AFTER: "
        WHERE room_id = ?1 AND seq > ?2
        ORDER BY seq
        LIMIT ?3
    ";

    /// A job's newest events older than `before` (all of them, when it is not given), newest first. Job and place are
    /// compared as one: by the place alone, SQLite would rather read the room's whole log.
    pub fn of_job_before(job: JobId, before: Option<Seq>, limit: u32) -> Vec<Recorded> = OF_JOB_BEFORE: "
        WHERE room_id = ?1 AND (job, seq) < (?2, ?3) AND job >= ?2
        ORDER BY job DESC, seq DESC
        LIMIT ?4
    ";

    /// A job's thread less mere progress, newest first, older than `before`.
    pub fn words_of_job_before(job: JobId, before: Option<Seq>, limit: u32) -> Vec<Recorded> = WORDS_OF_JOB_BEFORE: "
        WHERE room_id = ?1 AND (job, seq) < (?2, ?3) AND job >= ?2 AND type <> 'job.progress'
        ORDER BY job DESC, seq DESC
        LIMIT ?4
    ";

    /// The claims of a job, and when it was queued again, newest first, older than `before`.
    pub fn claims_of_job_before(job: JobId, before: Option<Seq>, limit: u32) -> Vec<Recorded> = CLAIMS_OF_JOB_BEFORE: "
        WHERE room_id = ?1 AND (job, seq) < (?2, ?3) AND job >= ?2
          AND type IN ('job.claimed', 'job.reclaimed', 'job.requeued')
        ORDER BY job DESC, seq DESC
        LIMIT ?4
    ";

    /// A job's oldest events newer than `after`, oldest first.
    pub fn of_job_after(job: JobId, after: Seq, limit: u32) -> Vec<Recorded> = OF_JOB_AFTER: "
        WHERE room_id = ?1 AND (job, seq) > (?2, ?3) AND job <= ?2
        ORDER BY job, seq
        LIMIT ?4
    ";

    /// The event by which work on a job first began.
    pub fn first_claim(job: JobId) -> Option<Recorded> = FIRST_CLAIM: "
        WHERE room_id = ?1 AND (job, seq) > (?2, 0) AND job <= ?2 AND type = 'job.claimed'
        ORDER BY job, seq
        LIMIT 1
    ";
}

/// The events at some places, in the order of the places. All are asked for at once.
pub fn find_all(tx: &mut dyn Tx, room: &RoomId, places: &[Seq]) -> Result<Vec<Recorded>, StoreError> {
    list_each(tx, FIND, room, places.iter().map(|seq| [seq as &dyn Argument]))
}

/// Reads events of some types, which stand between commas, in a stretch of the log.
macro_rules! of_types {
    ($order:literal) => {
        select!(
            Recorded,
            concat!(
                "WHERE room_id = ?1 AND seq > ?2 AND seq < ?3 AND ?5 LIKE '%,' || type || ',%' ORDER BY ",
                $order,
                " LIMIT ?4"
            )
        )
    };
}

const OF_TYPES_BEFORE: &str = of_types!("seq DESC");
const OF_TYPES_AFTER: &str = of_types!("seq");

/// The order of a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// From the end back.
    NewestFirst,
    /// From the beginning on.
    OldestFirst,
}

/// The first events of these types between two places. There is no index by type: a caller bounds the stretch.
pub fn of_types(
    tx: &mut dyn Tx,
    room: &RoomId,
    types: &[&str],
    (after, before): (Seq, Seq),
    (order, limit): (Order, u32),
) -> Result<Vec<Recorded>, StoreError> {
    let sql = match order {
        Order::NewestFirst => OF_TYPES_BEFORE,
        Order::OldestFirst => OF_TYPES_AFTER,
    };
    list(tx, sql, room, &[&after, &before, &limit, &between_commas(types)])
}

fn between_commas(types: &[&str]) -> String {
    types.iter().fold(",".to_owned(), |list, kind| list + kind + ",")
}

pub(crate) const OF_ACTOR: &str = select!(
    Recorded,
    "WHERE room_id = ?1 AND seq > ?2 AND actor = ?3 AND type = ?4
     ORDER BY seq
     LIMIT ?5"
);

/// An agent's events of one type newer than `after`, oldest first. It reads the log from there, so that place should not be
/// long ago.
pub fn of_actor(
    tx: &mut dyn Tx,
    room: &RoomId,
    (actor, kind): (&AgentId, &str),
    after: Seq,
    limit: u32,
) -> Result<Vec<Recorded>, StoreError> {
    list(tx, OF_ACTOR, room, &[&after, &actor, &kind, &limit])
}

impl Answer for Recorded {
    const SHAPE: Shape =
        Shape::of("log", &["seq", "type", "actor", "payload", "created_at_ms", "turn_id", "overridden"]);

    fn read(room: &RoomId, row: &dyn Row) -> Result<Self, StoreError> {
        recorded(room, row)
    }
}

/// An event from its row.
pub(crate) fn recorded(room: &RoomId, row: &dyn Row) -> Result<Recorded, StoreError> {
    let seq = Seq(row.int(0)?.unwrap_or_default().max(0) as u64);
    let wrong = |detail: String| StoreError::BadRow { table: "log", key: format!("{room}@{seq}"), detail };
    let kind = row.text(1)?.ok_or_else(|| wrong("type is missing".to_owned()))?;
    let actor = row.text(2)?.ok_or_else(|| wrong("actor is missing".to_owned()))?;
    let payload = row.text(3)?.ok_or_else(|| wrong("payload is missing".to_owned()))?;
    Ok(Recorded {
        room_id: room.clone(),
        seq,
        at: Timestamp::from_millis(row.int(4)?.unwrap_or_default()),
        actor: actor.parse().map_err(|error| wrong(format!("{error}")))?,
        overridden: row.int(6)?.unwrap_or_default() != 0,
        turn: Fence(row.int(5)?.unwrap_or_default().max(0) as u64),
        event: Event::read(kind, payload).map_err(|error| match error {
            UnknownEvent::Type(kind) => StoreError::UnknownEvent { key: format!("{room}@{seq}"), kind },
            UnknownEvent::Payload { ref source, .. } => wrong(format!("{error}: {source}")),
        })?,
    })
}

fn bad_row(room: &RoomId, seq: Seq, error: impl std::fmt::Display) -> StoreError {
    StoreError::BadRow { table: "log", key: format!("{room}@{seq}"), detail: error.to_string() }
}

fn int(seq: Seq) -> i64 {
    seq.0.try_into().unwrap_or(i64::MAX)
}
