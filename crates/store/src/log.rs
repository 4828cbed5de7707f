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
    engine::{Changes, Param, Query, Row, Tx},
};

/// Appends an event. The primary key refuses a place that is taken.
const APPEND: &str = "
    INSERT INTO log (room_id, seq, type, actor, subject, turn_id, payload, created_at_ms, job, overridden)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
";

/// Stores an event at its place, and has those who wait on the room woken when it is committed.
pub fn append(tx: &mut dyn Tx, recorded: &Recorded) -> Result<(), StoreError> {
    restore(tx, recorded)?;
    tx.ring(&recorded.room_id, recorded.event.concerns());
    Ok(())
}

/// Stores an event that happened before, elsewhere: nobody is woken.
pub fn restore(tx: &mut dyn Tx, recorded: &Recorded) -> Result<(), StoreError> {
    let payload = recorded.event.payload().map_err(|error| bad_row(&recorded.room_id, recorded.seq, error))?;
    tx.execute(
        APPEND,
        &[
            recorded.room_id.as_str().into(),
            int(recorded.seq).into(),
            recorded.event.kind().into(),
            recorded.actor.as_str().into(),
            recorded.event.subject().map(|subject| subject.as_str()).into(),
            (recorded.turn.0 as i64).into(),
            payload.as_str().into(),
            recorded.at.as_millis().into(),
            recorded.event.job().map(|job| i64::from(job.0)).into(),
            i64::from(recorded.overridden).into(),
        ],
        Changes::Any,
    )
}

/// Reads one event.
pub(crate) const FIND: &str = "
    SELECT seq, type, actor, payload, created_at_ms, turn_id, overridden
      FROM log
     WHERE room_id = ?1 AND seq = ?2
";

/// The event at one place.
pub fn find(tx: &mut dyn Tx, room: &RoomId, seq: Seq) -> Result<Option<Recorded>, StoreError> {
    let found = collect(tx, FIND, room, &[room.as_str().into(), int(seq).into()])?;
    Ok(found.into_iter().next())
}

/// The events at some places, in the order of the places. All are asked for at once.
pub fn find_all(tx: &mut dyn Tx, room: &RoomId, places: &[Seq]) -> Result<Vec<Recorded>, StoreError> {
    let params: Vec<[Param<'_>; 2]> = places.iter().map(|seq| [room.as_str().into(), int(*seq).into()]).collect();
    let queries: Vec<Query<'_>> = params.iter().map(|params| Query::new(FIND, params)).collect();
    let mut events = Vec::new();
    tx.query_all(&queries, &mut |_, row| {
        events.push(recorded(room, row)?);
        Ok(())
    })?;
    Ok(events)
}

/// Newest first, older than a place.
pub(crate) const BEFORE: &str = "
    SELECT seq, type, actor, payload, created_at_ms, turn_id, overridden
      FROM log
     WHERE room_id = ?1 AND seq < ?2
     ORDER BY seq DESC
     LIMIT ?3
";

/// The newest events older than `before` (all of them, when it is not given), newest first.
pub fn before(tx: &mut dyn Tx, room: &RoomId, before: Option<Seq>, limit: u32) -> Result<Vec<Recorded>, StoreError> {
    let bound = before.map_or(i64::MAX, int);
    collect(tx, BEFORE, room, &[room.as_str().into(), bound.into(), i64::from(limit).into()])
}

/// Oldest first, newer than a place.
pub(crate) const AFTER: &str = "
    SELECT seq, type, actor, payload, created_at_ms, turn_id, overridden
      FROM log
     WHERE room_id = ?1 AND seq > ?2
     ORDER BY seq
     LIMIT ?3
";

/// The oldest events newer than `after`, oldest first.
pub fn after(tx: &mut dyn Tx, room: &RoomId, after: Seq, limit: u32) -> Result<Vec<Recorded>, StoreError> {
    collect(tx, AFTER, room, &[room.as_str().into(), int(after).into(), i64::from(limit).into()])
}

/// Some types of events, which stand between commas, among those of a stretch of the log. Newest first.
pub(crate) const OF_TYPES_BEFORE: &str = "
    SELECT seq, type, actor, payload, created_at_ms, turn_id, overridden
      FROM log
     WHERE room_id = ?1 AND seq > ?2 AND seq < ?3 AND ?5 LIKE '%,' || type || ',%'
     ORDER BY seq DESC
     LIMIT ?4
";

/// Some types of events in a stretch of the log, oldest first.
pub(crate) const OF_TYPES_AFTER: &str = "
    SELECT seq, type, actor, payload, created_at_ms, turn_id, overridden
      FROM log
     WHERE room_id = ?1 AND seq > ?2 AND seq < ?3 AND ?5 LIKE '%,' || type || ',%'
     ORDER BY seq
     LIMIT ?4
";

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
    let (types, stretch) = (between_commas(types), [int(after).into(), int(before).into()]);
    let params = [room.as_str().into(), stretch[0], stretch[1], i64::from(limit).into(), types.as_str().into()];
    collect(tx, sql, room, &params)
}

fn between_commas(types: &[&str]) -> String {
    types.iter().fold(",".to_owned(), |list, kind| list + kind + ",")
}

/// A job's events, newest first, older than a place. Job and place are compared as one: by the place alone, SQLite would
/// rather read the room's whole log.
pub(crate) const OF_JOB_BEFORE: &str = "
    SELECT seq, type, actor, payload, created_at_ms, turn_id, overridden
      FROM log
     WHERE room_id = ?1 AND (job, seq) < (?2, ?3) AND job >= ?2
     ORDER BY job DESC, seq DESC
     LIMIT ?4
";

/// A job's newest events older than `before` (all of them, when it is not given), newest first.
pub fn of_job_before(
    tx: &mut dyn Tx,
    room: &RoomId,
    job: JobId,
    before: Option<Seq>,
    limit: u32,
) -> Result<Vec<Recorded>, StoreError> {
    let bound = before.map_or(i64::MAX, int);
    collect(
        tx,
        OF_JOB_BEFORE,
        room,
        &[room.as_str().into(), i64::from(job.0).into(), bound.into(), i64::from(limit).into()],
    )
}

/// The same, less mere progress.
pub(crate) const WORDS_OF_JOB_BEFORE: &str = "
    SELECT seq, type, actor, payload, created_at_ms, turn_id, overridden
      FROM log
     WHERE room_id = ?1 AND (job, seq) < (?2, ?3) AND job >= ?2 AND type <> 'job.progress'
     ORDER BY job DESC, seq DESC
     LIMIT ?4
";

/// What of a job's thread is more than mere progress, newest first, older than `before`.
pub fn words_of_job_before(
    tx: &mut dyn Tx,
    room: &RoomId,
    job: JobId,
    before: Option<Seq>,
    limit: u32,
) -> Result<Vec<Recorded>, StoreError> {
    let bound = before.map_or(i64::MAX, int);
    let params = [room.as_str().into(), i64::from(job.0).into(), bound.into(), i64::from(limit).into()];
    collect(tx, WORDS_OF_JOB_BEFORE, room, &params)
}

/// The claims of a job, and when it was queued again, newest first, older than a place.
pub(crate) const CLAIMS_OF_JOB_BEFORE: &str = "
    SELECT seq, type, actor, payload, created_at_ms, turn_id, overridden
      FROM log
     WHERE room_id = ?1 AND (job, seq) < (?2, ?3) AND job >= ?2
           AND type IN ('job.claimed', 'job.reclaimed', 'job.requeued')
     ORDER BY job DESC, seq DESC
     LIMIT ?4
";

/// The claims of a job, and when it was queued again, newest first, older than `before`.
pub fn claims_of_job_before(
    tx: &mut dyn Tx,
    room: &RoomId,
    job: JobId,
    before: Option<Seq>,
    limit: u32,
) -> Result<Vec<Recorded>, StoreError> {
    let bound = before.map_or(i64::MAX, int);
    let params = [room.as_str().into(), i64::from(job.0).into(), bound.into(), i64::from(limit).into()];
    collect(tx, CLAIMS_OF_JOB_BEFORE, room, &params)
}

/// A job's events, oldest first, newer than a place.
pub(crate) const OF_JOB_AFTER: &str = "
    SELECT seq, type, actor, payload, created_at_ms, turn_id, overridden
      FROM log
     WHERE room_id = ?1 AND (job, seq) > (?2, ?3) AND job <= ?2
     ORDER BY job, seq
     LIMIT ?4
";

/// A job's oldest events newer than `after`, oldest first.
pub fn of_job_after(
    tx: &mut dyn Tx,
    room: &RoomId,
    job: JobId,
    after: Seq,
    limit: u32,
) -> Result<Vec<Recorded>, StoreError> {
    collect(
        tx,
        OF_JOB_AFTER,
        room,
        &[room.as_str().into(), i64::from(job.0).into(), int(after).into(), i64::from(limit).into()],
    )
}

/// A job's first claim.
pub(crate) const FIRST_CLAIM: &str = "
    SELECT seq, type, actor, payload, created_at_ms, turn_id, overridden
      FROM log
     WHERE room_id = ?1 AND (job, seq) > (?2, 0) AND job <= ?2 AND type = 'job.claimed'
     ORDER BY job, seq
     LIMIT 1
";

/// The event by which work on a job first began.
pub fn first_claim(tx: &mut dyn Tx, room: &RoomId, job: JobId) -> Result<Option<Recorded>, StoreError> {
    let found = collect(tx, FIRST_CLAIM, room, &[room.as_str().into(), i64::from(job.0).into()])?;
    Ok(found.into_iter().next())
}

/// Events of one type by one agent, oldest first, newer than a place.
pub(crate) const OF_ACTOR: &str = "
    SELECT seq, type, actor, payload, created_at_ms, turn_id, overridden
      FROM log
     WHERE room_id = ?1 AND seq > ?2 AND actor = ?3 AND type = ?4
     ORDER BY seq
     LIMIT ?5
";

/// An agent's events of one type newer than `after`, oldest first. It reads the log from there, so that place should not be
/// long ago.
pub fn of_actor(
    tx: &mut dyn Tx,
    room: &RoomId,
    (actor, kind): (&AgentId, &str),
    after: Seq,
    limit: u32,
) -> Result<Vec<Recorded>, StoreError> {
    let params = [room.as_str().into(), int(after).into(), actor.as_str().into(), kind.into(), i64::from(limit).into()];
    collect(tx, OF_ACTOR, room, &params)
}

fn collect(
    tx: &mut dyn Tx,
    sql: &'static str,
    room: &RoomId,
    params: &[Param<'_>],
) -> Result<Vec<Recorded>, StoreError> {
    let mut events = Vec::new();
    tx.query(sql, params, &mut |row| {
        events.push(recorded(room, row)?);
        Ok(())
    })?;
    Ok(events)
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
