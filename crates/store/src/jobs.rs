//! Jobs: the projection, and the questions that queues and radars ask of it.

mod claims;
mod counting;
mod saving;

use baton_core::{
    claimant::{Backing, Claimant},
    ids::{AnchorId, RoomId, Seq},
    job::{Choice, Claim, Job, JobId, Jobs, Last, Lineage, Marker, Priority, Routing, Status},
    lease::{Fence, Lease},
    task::TaskId,
    time::Timestamp,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    StoreError,
    engine::{Param, Query, Row, Tx},
    fields::{Fields, number},
};

#[cfg(test)]
pub(crate) use claims::{ANY_OVERDUE, ANY_QUEUED, LOADS, NEXT_EXPIRY, PROCESSES};
pub use claims::{any_overdue, any_queued, end_claims, loads, next_expiry, processes};
#[cfg(test)]
pub(crate) use counting::{COUNT_IN_STATUS, COUNT_RUN_OUT, COUNT_WITH_ERROR, COUNT_WITH_QUESTION, COUNT_WITHOUT_PROOF};
pub use counting::{Counts, counts};
pub use saving::save;

/// A job as [`job`] reads it, from the rows that are meant.
macro_rules! jobs {
    ($which:expr) => {
        concat!(
            "
    SELECT number, title, kind, priority, status, task, anchor, routing, revision, runner, claimant, claim_executor,
           claim_expires_at_ms, losses, last_question, last_manager, open_gate, open_error, summary, refs, meta,
           last_seq, last_kind, last_preview, created_seq, created_by, created_at_ms, active_at_ms, capability,
           claim_process, claim_via, progress, earlier_claim_ends_at_ms
      FROM jobs",
            $which
        )
    };
}

/// Reads one job.
pub(crate) const FIND: &str = jobs!(
    "
     WHERE room_id = ?1 AND number = ?2
"
);

/// The job with this number.
pub fn find(tx: &mut dyn Tx, room: &RoomId, id: JobId) -> Result<Option<Job>, StoreError> {
    let found = collect(tx, FIND, room, &[room.as_str().into(), i64::from(id.0).into()])?;
    Ok(found.into_iter().next())
}

/// The jobs with these numbers, as far as they exist. All are asked for at once.
pub fn find_all(tx: &mut dyn Tx, room: &RoomId, ids: &[JobId]) -> Result<Vec<Job>, StoreError> {
    let params: Vec<[Param<'_>; 2]> = ids.iter().map(|id| [room.as_str().into(), i64::from(id.0).into()]).collect();
    let queries: Vec<Query<'_>> = params.iter().map(|params| Query::new(FIND, params)).collect();
    let mut found = Vec::new();
    tx.query_all(&queries, &mut |_, row| {
        found.push(job(room, row)?);
        Ok(())
    })?;
    Ok(found)
}

/// Finds the last number.
pub(crate) const LAST: &str = "
    SELECT number
      FROM jobs
     WHERE room_id = ?1
     ORDER BY number DESC
     LIMIT 1
";

/// The number that the next job of a room gets. The room must be locked.
pub fn next_id(tx: &mut dyn Tx, room: &RoomId) -> Result<JobId, StoreError> {
    let mut last = 0;
    tx.query(LAST, &[room.as_str().into()], &mut |row| {
        last = Fields { table: "jobs", key: room.as_str(), row }.number(0)?;
        Ok(())
    })?;
    Ok(JobId(u32::try_from(last + 1).unwrap_or(u32::MAX)))
}

/// Lists the queue of one executor: the most urgent first, and of those the oldest.
pub(crate) const QUEUED_FOR: &str = jobs!(
    "
     WHERE room_id = ?1 AND executor = ?2 AND status = 'QUEUED' AND (priority, number) > (?3, ?4)
     ORDER BY priority, number
     LIMIT ?5
"
);

/// What waits for each of some executors (or for any) behind a place in the line, the most urgent first, and of those the
/// oldest. All queues are asked at once.
pub fn queued_for(
    tx: &mut dyn Tx,
    room: &RoomId,
    choices: &[Choice],
    behind: Option<(Priority, JobId)>,
    limit: u32,
) -> Result<Vec<Job>, StoreError> {
    let (urgency, after) = behind.map_or((i64::MIN, 0), |(priority, job)| (rank(priority), i64::from(job.0)));
    let of = |choice: &Choice| -> [Param<'_>; 5] {
        [room.as_str().into(), choice.as_str().into(), urgency.into(), after.into(), i64::from(limit).into()]
    };
    let params: Vec<[Param<'_>; 5]> = choices.iter().map(of).collect();
    let queries: Vec<Query<'_>> = params.iter().map(|params| Query::new(QUEUED_FOR, params)).collect();
    let mut found = Vec::new();
    tx.query_all(&queries, &mut |_, row| {
        found.push(job(room, row)?);
        Ok(())
    })?;
    found.sort_by_key(|job| (std::cmp::Reverse(job.priority), job.id));
    Ok(found)
}

/// Counts what is before a job in the queue of its executor.
pub(crate) const AHEAD: &str = "
    SELECT count(*)
      FROM jobs
     WHERE room_id = ?1 AND executor = ?2 AND status = 'QUEUED' AND (priority, number) < (?3, ?4)
";

/// How many jobs of the same queue are claimed before this one.
pub fn ahead(tx: &mut dyn Tx, room: &RoomId, job: &Job) -> Result<u64, StoreError> {
    let executor = job.routing.executor.as_str();
    let params = [room.as_str().into(), executor.into(), rank(job.priority).into(), i64::from(job.id.0).into()];
    let mut count = 0;
    tx.query(AHEAD, &params, &mut |row| {
        count = Fields { table: "jobs", key: room.as_str(), row }.number(0)?;
        Ok(())
    })?;
    Ok(count)
}

/// Lists what is running and whose claim has run out, the longest over first.
pub(crate) const OVERDUE: &str = jobs!(
    "
     WHERE room_id = ?1 AND status = 'RUNNING' AND claim_expires_at_ms <= ?2
           AND (claim_expires_at_ms, number) > (?3, ?4)
     ORDER BY claim_expires_at_ms, number
     LIMIT ?5
"
);

/// What is running with a claim that ran out by `now`, the longest over first, behind a place in that line.
pub fn overdue(
    tx: &mut dyn Tx,
    room: &RoomId,
    now: Timestamp,
    behind: Option<(Timestamp, JobId)>,
    limit: u32,
) -> Result<Vec<Job>, StoreError> {
    let (since, after) = behind.map_or((i64::MIN, 0), |(at, job)| (at.as_millis(), i64::from(job.0)));
    let params = [room.as_str().into(), now.as_millis().into(), since.into(), after.into(), i64::from(limit).into()];
    collect(tx, OVERDUE, room, &params)
}

/// Lists what somebody has to look at, the most pressing first.
pub(crate) const PRESSING: &str = jobs!(
    "
     WHERE room_id = ?1 AND attention > 0
     ORDER BY attention, status DESC, last_seq DESC
     LIMIT ?2
"
);

/// The same of one status.
pub(crate) const PRESSING_IN: &str = jobs!(
    "
     WHERE room_id = ?1 AND attention > 0 AND status = ?3
     ORDER BY attention, last_seq DESC
     LIMIT ?2
"
);

/// The first `limit` jobs of one active status on a radar at `now`: what is pressing, what is overdue, then the newest.
pub fn radar_in(
    tx: &mut dyn Tx,
    room: &RoomId,
    now: Timestamp,
    status: Status,
    limit: u32,
) -> Result<Vec<Job>, StoreError> {
    let (room_param, now, most) = (Param::from(room.as_str()), Param::from(now.as_millis()), i64::from(limit).into());
    let pressing = [room_param, most, status.as_str().into()];
    let (stale, calm) = ([room_param, now, most], [room_param, status.as_str().into(), now, most]);
    let mut queries = vec![Query::new(PRESSING_IN, &pressing)];
    queries.extend((status == Status::Running).then(|| Query::new(STALE, &stale)));
    queries.push(Query::new(CALM, &calm));
    let mut found = Vec::new();
    tx.query_all(&queries, &mut |_, row| {
        if found.len() < limit as usize {
            found.push(job(room, row)?);
        }
        Ok(())
    })?;
    Ok(found)
}

/// Lists what is running and overdue, the latest first, less what is pressing anyway.
pub(crate) const STALE: &str = jobs!(
    "
     WHERE room_id = ?1 AND status = 'RUNNING' AND claim_expires_at_ms <= ?2 AND attention = 0
     ORDER BY claim_expires_at_ms DESC, number DESC
     LIMIT ?3
"
);

/// Lists what is calm, newest first.
pub(crate) const CALM: &str = jobs!(
    "
     WHERE room_id = ?1 AND status = ?2 AND attention = 0 AND (claim_expires_at_ms IS NULL OR claim_expires_at_ms > ?3)
     ORDER BY last_seq DESC
     LIMIT ?4
"
);

/// The first `limit` jobs of a radar at `now`: what is pressing, what is overdue, what runs, what waits.
pub fn radar(tx: &mut dyn Tx, room: &RoomId, now: Timestamp, limit: u32) -> Result<Vec<Job>, StoreError> {
    let (room_param, now, most) = (Param::from(room.as_str()), Param::from(now.as_millis()), i64::from(limit).into());
    let pressing = [room_param, most];
    let stale = [room_param, now, most];
    let [running, queued] =
        [Status::Running, Status::Queued].map(|status| [room_param, status.as_str().into(), now, most]);
    let queries = [
        Query::new(PRESSING, &pressing),
        Query::new(STALE, &stale),
        Query::new(CALM, &running),
        Query::new(CALM, &queued),
    ];
    let mut found = Vec::new();
    tx.query_all(&queries, &mut |_, row| {
        if found.len() < limit as usize {
            found.push(job(room, row)?);
        }
        Ok(())
    })?;
    Ok(found)
}

/// Lists the jobs of one status, the last changed first.
pub(crate) const IN_STATUS: &str = jobs!(
    "
     WHERE room_id = ?1 AND status = ?2 AND last_seq < ?3
     ORDER BY last_seq DESC
     LIMIT ?4
"
);

/// Jobs of one status whose last event is before a place, the last changed first.
pub fn in_status(
    tx: &mut dyn Tx,
    room: &RoomId,
    status: Status,
    before: Option<Seq>,
    limit: u32,
) -> Result<Vec<Job>, StoreError> {
    let before = before.map_or(i64::MAX, |seq| number(seq.0));
    collect(
        tx,
        IN_STATUS,
        room,
        &[room.as_str().into(), status.as_str().into(), before.into(), i64::from(limit).into()],
    )
}

/// Lists the newest.
pub(crate) const NEWEST: &str = jobs!(
    "
     WHERE room_id = ?1 AND number < ?2
     ORDER BY number DESC
     LIMIT ?3
"
);

/// The newest jobs before a number.
pub fn newest(tx: &mut dyn Tx, room: &RoomId, before: Option<JobId>, limit: u32) -> Result<Vec<Job>, StoreError> {
    collect(tx, NEWEST, room, &[room.as_str().into(), bound(before).into(), i64::from(limit).into()])
}

/// Lists the oldest.
pub(crate) const OLDEST: &str = jobs!(
    "
     WHERE room_id = ?1 AND number > ?2
     ORDER BY number
     LIMIT ?3
"
);

/// The oldest jobs after a number.
pub fn oldest(tx: &mut dyn Tx, room: &RoomId, after: Option<JobId>, limit: u32) -> Result<Vec<Job>, StoreError> {
    let after = after.map_or(0, |id| i64::from(id.0));
    collect(tx, OLDEST, room, &[room.as_str().into(), after.into(), i64::from(limit).into()])
}

/// Lists the jobs of one status, those that changed the longest ago first.
pub(crate) const OLDEST_IN_STATUS: &str = jobs!(
    "
     WHERE room_id = ?1 AND status = ?2 AND last_seq > ?3
     ORDER BY last_seq
     LIMIT ?4
"
);

/// Jobs of one status whose last event is after a place, those that changed the longest ago first.
pub fn oldest_in_status(
    tx: &mut dyn Tx,
    room: &RoomId,
    status: Status,
    after: Option<Seq>,
    limit: u32,
) -> Result<Vec<Job>, StoreError> {
    let after = after.map_or(0, |seq| number(seq.0));
    let params = [room.as_str().into(), status.as_str().into(), after.into(), i64::from(limit).into()];
    collect(tx, OLDEST_IN_STATUS, room, &params)
}

/// Lists jobs that want one thing of somebody, those first that want something more pressing besides.
macro_rules! wanting {
    ($what:literal) => {
        jobs!(concat!(
            "
     WHERE room_id = ?1 AND attention > 0 AND ",
            $what,
            "
     ORDER BY attention, status DESC, last_seq DESC
     LIMIT ?2
"
        ))
    };
}
pub(crate) const WITH_ERROR: &str = wanting!("open_error > 0");
pub(crate) const WITH_QUESTION: &str = wanting!("last_question > last_manager");
pub(crate) const WITHOUT_PROOF: &str = wanting!("open_gate > 0");

/// Lists jobs whose claim has run out, the latest first.
pub(crate) const RUN_OUT: &str = jobs!(
    "
     WHERE room_id = ?1 AND status = 'RUNNING' AND claim_expires_at_ms <= ?2
     ORDER BY claim_expires_at_ms DESC, number DESC
     LIMIT ?3
"
);

/// Jobs that want this of somebody at `now`, whatever else they want.
pub fn wanting(
    tx: &mut dyn Tx,
    room: &RoomId,
    now: Timestamp,
    marker: Marker,
    limit: u32,
) -> Result<Vec<Job>, StoreError> {
    let (room_param, most) = (room.as_str().into(), i64::from(limit).into());
    match marker {
        Marker::Error => collect(tx, WITH_ERROR, room, &[room_param, most]),
        Marker::Question => collect(tx, WITH_QUESTION, room, &[room_param, most]),
        Marker::Proof => collect(tx, WITHOUT_PROOF, room, &[room_param, most]),
        Marker::Stale => collect(tx, RUN_OUT, room, &[room_param, now.as_millis().into(), most]),
    }
}

/// Lists the jobs for a task, newest first.
pub(crate) const OF_TASK: &str = jobs!(
    "
     WHERE room_id = ?1 AND task = ?2 AND number < ?3
     ORDER BY number DESC
     LIMIT ?4
"
);

/// The jobs for a task before a number, newest first.
pub fn of_task(
    tx: &mut dyn Tx,
    room: &RoomId,
    task: TaskId,
    before: Option<JobId>,
    limit: u32,
) -> Result<Vec<Job>, StoreError> {
    let params = [room.as_str().into(), i64::from(task.0).into(), bound(before).into(), i64::from(limit).into()];
    collect(tx, OF_TASK, room, &params)
}

/// Lists the jobs about a part of the map, newest first.
pub(crate) const OF_ANCHOR: &str = jobs!(
    "
     WHERE room_id = ?1 AND anchor = ?2 AND number < ?3
     ORDER BY number DESC
     LIMIT ?4
"
);

/// The jobs about a part of the map before a number, newest first.
pub fn of_anchor(
    tx: &mut dyn Tx,
    room: &RoomId,
    anchor: &AnchorId,
    before: Option<JobId>,
    limit: u32,
) -> Result<Vec<Job>, StoreError> {
    let params = [room.as_str().into(), anchor.as_str().into(), bound(before).into(), i64::from(limit).into()];
    collect(tx, OF_ANCHOR, room, &params)
}

/// Lists all of them.
const ALL: &str = jobs!(
    "
     WHERE room_id = ?1
     ORDER BY number
"
);

/// Every job of a room, for a check of them all.
pub fn all(tx: &mut dyn Tx, room: &RoomId) -> Result<Jobs, StoreError> {
    Ok(Jobs { jobs: collect(tx, ALL, room, &[room.as_str().into()])? })
}

fn bound(before: Option<JobId>) -> i64 {
    before.map_or(i64::MAX, |id| i64::from(id.0))
}

/// What a job asks of whoever does it and what that one may do, which never changes and is stored as one.
#[derive(Serialize, Deserialize)]
struct Asked {
    #[serde(flatten)]
    routing: Routing,
    #[serde(flatten)]
    lineage: Lineage,
}

/// Priorities in the order in which they are claimed, so that the queue's index has one direction and a page begins in it.
fn rank(priority: Priority) -> i64 {
    match priority {
        Priority::High => 0,
        Priority::Medium => 1,
        Priority::Low => 2,
    }
}

fn priority(rank: u64) -> Option<Priority> {
    match rank {
        0 => Some(Priority::High),
        1 => Some(Priority::Medium),
        2 => Some(Priority::Low),
        _ => None,
    }
}

fn collect(tx: &mut dyn Tx, sql: &'static str, room: &RoomId, params: &[Param<'_>]) -> Result<Vec<Job>, StoreError> {
    let mut found = Vec::new();
    tx.query(sql, params, &mut |row| {
        found.push(job(room, row)?);
        Ok(())
    })?;
    Ok(found)
}

pub(crate) fn job(room: &RoomId, row: &dyn Row) -> Result<Job, StoreError> {
    let fields = Fields { table: "jobs", key: room.as_str(), row };
    let small = |column| -> Result<u32, StoreError> {
        fields.number(column)?.try_into().map_err(|_| fields.bad("has a number that is too large"))
    };
    let revision = Fence(fields.number(8)?);
    let Asked { routing, lineage } = read(&fields, 7)?;
    Ok(Job {
        id: JobId(small(0)?),
        title: fields.text(1)?.to_owned(),
        kind: fields.text(2)?.to_owned(),
        priority: priority(fields.number(3)?).ok_or_else(|| fields.bad("has a priority that is none"))?,
        status: fields.word(4)?,
        task: row.int(5)?.map(|_| small(5)).transpose()?.map(TaskId),
        anchor: fields.optional(6)?,
        routing,
        revision,
        claim: claim(&fields, revision)?,
        earlier_claim_ends_at: row.int(32)?.map(Timestamp::from_millis),
        losses: small(13)?,
        last_question: Seq(fields.number(14)?),
        last_manager: Seq(fields.number(15)?),
        open_gate: place(&fields, 16)?,
        open_error: place(&fields, 17)?,
        summary: row.text(18)?.map(str::to_owned),
        refs: read(&fields, 19)?,
        meta: read(&fields, 20)?,
        lineage,
        last: Last { seq: Seq(fields.number(21)?), kind: fields.word(22)?, preview: fields.text(23)?.to_owned() },
        progress: read(&fields, 31)?,
        created_seq: Seq(fields.number(24)?),
        created_by: fields.id(25)?,
        created_at: fields.time(26)?,
        active_at: fields.time(27)?,
    })
}

/// A place in the log; 0 is none.
fn place(fields: &Fields<'_>, column: usize) -> Result<Option<Seq>, StoreError> {
    Ok(Some(Seq(fields.number(column)?)).filter(|seq| seq.0 > 0))
}

fn claim(fields: &Fields<'_>, fence: Fence) -> Result<Option<Claim>, StoreError> {
    let (Some(holder), Some(agent)) = (fields.optional(9)?, fields.optional(10)?) else { return Ok(None) };
    let backing = Backing { process: fields.optional_json(29)?, via: fields.row.text(30)?.map(str::to_owned) };
    Ok(Some(Claim {
        lease: Lease { holder, fence, expires_at: fields.time(12)? },
        claimant: Claimant { agent, backing },
        capability: fields.row.text(28)?.map(|digest| digest.to_owned().into()),
        executor: fields.optional_word(11)?,
    }))
}

fn read<T: DeserializeOwned>(fields: &Fields<'_>, column: usize) -> Result<T, StoreError> {
    serde_json::from_str(fields.text(column)?).map_err(|error| fields.bad(error))
}
