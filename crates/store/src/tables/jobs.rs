//! Jobs: the projection, and the questions that queues and radars ask of it.

mod claims;
mod counting;

use baton_core::{
    claimant::{Backing, Claimant},
    ids::{AnchorId, RoomId, Seq},
    job::{Choice, Claim, Job, JobId, Last, Lineage, Marker, Priority, Routing, Status},
    lease::Lease,
    task::TaskId,
    time::Timestamp,
};
use serde::{Deserialize, Serialize};

use crate::{
    StoreError,
    column::{Cell, Column, Empty, Params, json},
    engine::{Param, Query, Tx},
    fields,
    question::{Argument, list, list_each, next_number, number, questions},
    sql::select,
    table::{Table, read, table},
};

#[cfg(test)]
pub(crate) use claims::{ANY_OVERDUE, ANY_QUEUED, LOADS, NEXT_EXPIRY, PROCESSES};
pub use claims::{any_overdue, any_queued, end_claims, loads, next_expiry, processes};
#[cfg(test)]
pub(crate) use counting::{COUNT_IN_STATUS, COUNT_RUN_OUT, COUNT_WITH_ERROR, COUNT_WITH_QUESTION, COUNT_WITHOUT_PROOF};
pub use counting::{Counts, counts};

table! {
    "jobs": Job |job| {
        key |id| { number = id }
        once {
            title = job.title,
            kind = job.kind,
            priority = job.priority,
            task = job.task,
            anchor = job.anchor,
            routing = Asked { routing: job.routing.clone(), lineage: job.lineage.clone() },
            created_seq = job.created_seq,
            created_by = job.created_by,
            created_at_ms = job.created_at,
        }
        changes {
            status = job.status,
            revision = job.revision,
            runner = job.claim.as_ref().map(|claim| &claim.lease.holder),
            claimant = job.claim.as_ref().map(|claim| &claim.claimant.agent),
            claim_executor = job.claim.as_ref().and_then(|claim| claim.executor),
            capability = job.claim.as_ref().and_then(|claim| claim.capability.as_ref()),
            claim_process = job.claim.as_ref().and_then(|claim| claim.claimant.backing.process.as_ref()),
            claim_via = job.claim.as_ref().and_then(|claim| claim.claimant.backing.via.as_ref()),
            losses = job.losses,
            last_question = job.last_question,
            last_manager = job.last_manager,
            open_gate = job.open_gate.unwrap_or(NOWHERE),
            open_error = job.open_error.unwrap_or(NOWHERE),
            summary = job.summary,
            refs = job.refs,
            meta = job.meta,
            last_seq = job.last.seq,
            last_kind = job.last.kind,
            last_preview = job.last.preview,
        }
        moves {
            claim_expires_at_ms = job.claim.as_ref().map(|claim| claim.lease.expires_at),
            active_at_ms = job.active_at,
            progress = job.progress,
            earlier_claim_ends_at_ms = job.earlier_claim_ends_at,
        }
        fence { revision = job.revision }
        derived_once { executor = job.routing.executor }
        derived { attention = u32::from(job.kept_marker().map_or(0, Marker::rank)) }
    }
    current "status IN ('QUEUED', 'RUNNING')"
    read {
        let Asked { routing, lineage } = routing;
        let backing = Backing { process: claim_process, via: claim_via };
        let claim = match (runner, claimant) {
            (Some(holder), Some(agent)) => Some(Claim {
                lease: Lease {
                    holder,
                    fence: revision,
                    expires_at: Option::ok_or(claim_expires_at_ms, Empty("claim_expires_at_ms"))?,
                },
                claimant: Claimant { agent, backing },
                capability,
                executor: claim_executor,
            }),
            _ => None,
        };
        Self {
            id: number,
            title,
            kind,
            priority,
            status,
            task,
            anchor,
            routing,
            revision,
            claim,
            earlier_claim_ends_at: earlier_claim_ends_at_ms,
            losses,
            last_question,
            last_manager,
            open_gate: somewhere(open_gate),
            open_error: somewhere(open_error),
            summary,
            refs,
            meta,
            lineage,
            last: Last { seq: last_seq, kind: last_kind, preview: last_preview },
            progress,
            created_seq,
            created_by,
            created_at: created_at_ms,
            active_at: active_at_ms,
        }
    }
}

/// A job's demands on whoever does it and that one's rights, which never change and are stored as one.
#[derive(Debug, Serialize, Deserialize)]
struct Asked {
    #[serde(flatten)]
    routing: Routing,
    #[serde(flatten)]
    lineage: Lineage,
}
json!(Asked);

/// No place in the log.
const NOWHERE: Seq = Seq(0);

fn somewhere(place: Seq) -> Option<Seq> {
    Some(place).filter(|place| *place != NOWHERE)
}

/// Priorities in the order in which they are claimed, so that the queue's index has one direction and a page begins in it.
const BY_URGENCY: [Priority; 3] = [Priority::High, Priority::Medium, Priority::Low];

fn rank(priority: Priority) -> u32 {
    match priority {
        Priority::High => 0,
        Priority::Medium => 1,
        Priority::Low => 2,
    }
}

impl Column for Priority {
    fn bind(&self, params: &mut Params) {
        rank(*self).bind(params);
    }

    fn read_optional(cell: Cell<'_>) -> Result<Option<Self>, StoreError> {
        let of = |rank: u64| BY_URGENCY.get(rank as usize).copied().ok_or_else(|| cell.bad("is no priority"));
        u64::read_optional(cell)?.map(of).transpose()
    }
}

/// The jobs with these numbers, as far as they exist. All are asked for at once.
pub fn find_all(tx: &mut dyn Tx, room: &RoomId, ids: &[JobId]) -> Result<Vec<Job>, StoreError> {
    list_each(tx, Job::STATEMENTS.find, room, ids.iter().map(|id| [id as &dyn Argument]))
}

pub(crate) const LAST: &str = "SELECT number FROM jobs WHERE room_id = ?1 ORDER BY number DESC LIMIT 1";

/// The number that the next job of a room gets. The room must be locked.
pub fn next_id(tx: &mut dyn Tx, room: &RoomId) -> Result<JobId, StoreError> {
    next_number(tx, ("jobs", LAST), room).map(JobId)
}

pub(crate) const QUEUED_FOR: &str = select!(
    Job,
    "WHERE room_id = ?1 AND executor = ?2 AND status = 'QUEUED' AND (priority, number) > (?3, ?4)
     ORDER BY priority, number
     LIMIT ?5"
);

/// Jobs that wait for each of some executors (or for any) behind a place in the line, the most urgent first, and of those the
/// oldest. All queues are asked at once.
pub fn queued_for(
    tx: &mut dyn Tx,
    room: &RoomId,
    choices: &[Choice],
    behind: Option<(Priority, JobId)>,
    limit: u32,
) -> Result<Vec<Job>, StoreError> {
    let (urgency, after) =
        behind.map_or((i64::MIN, 0), |(priority, job)| (i64::from(rank(priority)), i64::from(job.0)));
    let each = choices.iter().map(|choice| [choice as &dyn Argument, &urgency, &after, &limit]);
    let mut found: Vec<Job> = list_each(tx, QUEUED_FOR, room, each)?;
    found.sort_by_key(|job| (std::cmp::Reverse(job.priority), job.id));
    Ok(found)
}

pub(crate) const AHEAD: &str = "
    SELECT count(*)
      FROM jobs
     WHERE room_id = ?1 AND executor = ?2 AND status = 'QUEUED' AND (priority, number) < (?3, ?4)
";

/// How many jobs of the same queue are claimed before this one.
pub fn ahead(tx: &mut dyn Tx, room: &RoomId, job: &Job) -> Result<u64, StoreError> {
    number(tx, ("jobs", AHEAD), room, &[&job.routing.executor, &rank(job.priority), &job.id])
}

pub(crate) const OVERDUE: &str = select!(
    Job,
    "WHERE room_id = ?1 AND status = 'RUNNING' AND claim_expires_at_ms <= ?2
           AND (claim_expires_at_ms, number) > (?3, ?4)
     ORDER BY claim_expires_at_ms, number
     LIMIT ?5"
);

/// Running jobs whose claim ran out by `now`, the longest over first, behind a place in that line.
pub fn overdue(
    tx: &mut dyn Tx,
    room: &RoomId,
    now: Timestamp,
    behind: Option<(Timestamp, JobId)>,
    limit: u32,
) -> Result<Vec<Job>, StoreError> {
    let (since, after) = behind.map_or((i64::MIN, 0), |(at, job)| (at.as_millis(), i64::from(job.0)));
    list(tx, OVERDUE, room, &[&now, &since, &after, &limit])
}

/// Lists what somebody has to look at, the most pressing first.
pub(crate) const PRESSING: &str = select!(
    Job,
    "WHERE room_id = ?1 AND attention > 0
     ORDER BY attention, status DESC, last_seq DESC
     LIMIT ?2"
);

/// Lists such jobs of one status.
pub(crate) const PRESSING_IN: &str = select!(
    Job,
    "WHERE room_id = ?1 AND attention > 0 AND status = ?3
     ORDER BY attention, last_seq DESC
     LIMIT ?2"
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
    first_of(tx, room, &queries, limit)
}

/// Lists what is running and overdue, the latest first, less what is pressing anyway.
pub(crate) const STALE: &str = select!(
    Job,
    "WHERE room_id = ?1 AND status = 'RUNNING' AND claim_expires_at_ms <= ?2 AND attention = 0
     ORDER BY claim_expires_at_ms DESC, number DESC
     LIMIT ?3"
);

/// Lists what is calm, newest first.
pub(crate) const CALM: &str = select!(
    Job,
    "WHERE room_id = ?1 AND status = ?2 AND attention = 0 AND (claim_expires_at_ms IS NULL OR claim_expires_at_ms > ?3)
     ORDER BY last_seq DESC
     LIMIT ?4"
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
    first_of(tx, room, &queries, limit)
}

/// The first jobs of those that some questions find, one question after the other.
fn first_of(tx: &mut dyn Tx, room: &RoomId, queries: &[Query<'_>], limit: u32) -> Result<Vec<Job>, StoreError> {
    let mut found: Vec<Job> = Vec::new();
    tx.query_all(queries, &mut |_, row| {
        if found.len() < limit as usize {
            found.push(read(room, row)?);
        }
        Ok(())
    })?;
    Ok(found)
}

pub(crate) const IN_STATUS: &str = select!(
    Job,
    "WHERE room_id = ?1 AND status = ?2 AND last_seq < ?3
     ORDER BY last_seq DESC
     LIMIT ?4"
);

/// Jobs of one status whose last event is before a place, the last changed first.
pub fn in_status(
    tx: &mut dyn Tx,
    room: &RoomId,
    status: Status,
    before: Option<Seq>,
    limit: u32,
) -> Result<Vec<Job>, StoreError> {
    let before = before.map_or(i64::MAX, |seq| fields::number(seq.0));
    list(tx, IN_STATUS, room, &[&status, &before, &limit])
}

pub(crate) const OLDEST_IN_STATUS: &str = select!(
    Job,
    "WHERE room_id = ?1 AND status = ?2 AND last_seq > ?3
     ORDER BY last_seq
     LIMIT ?4"
);

/// Jobs of one status whose last event is after a place, those that changed the longest ago first.
pub fn oldest_in_status(
    tx: &mut dyn Tx,
    room: &RoomId,
    status: Status,
    after: Option<Seq>,
    limit: u32,
) -> Result<Vec<Job>, StoreError> {
    let after = after.map_or(0, |seq| fields::number(seq.0));
    list(tx, OLDEST_IN_STATUS, room, &[&status, &after, &limit])
}

pub(crate) const OLDEST: &str = select!(Job, "WHERE room_id = ?1 AND number > ?2 ORDER BY number LIMIT ?3");

/// The oldest jobs after a number.
pub fn oldest(tx: &mut dyn Tx, room: &RoomId, after: Option<JobId>, limit: u32) -> Result<Vec<Job>, StoreError> {
    list(tx, OLDEST, room, &[&after.unwrap_or(JobId(0)), &limit])
}

questions! {
    /// The newest jobs before a number.
    pub fn newest(before: Option<JobId>, limit: u32) -> Vec<Job> = NEWEST: "
        WHERE room_id = ?1 AND number < ?2
        ORDER BY number DESC
        LIMIT ?3
    ";

    /// The jobs for a task before a number, newest first.
    pub fn of_task(task: TaskId, before: Option<JobId>, limit: u32) -> Vec<Job> = OF_TASK: "
        WHERE room_id = ?1 AND task = ?2 AND number < ?3
        ORDER BY number DESC
        LIMIT ?4
    ";

    /// The jobs about a part of the map before a number, newest first.
    pub fn of_anchor(anchor: &AnchorId, before: Option<JobId>, limit: u32) -> Vec<Job> = OF_ANCHOR: "
        WHERE room_id = ?1 AND anchor = ?2 AND number < ?3
        ORDER BY number DESC
        LIMIT ?4
    ";
}

/// Lists jobs that want one thing of somebody, those first that want something more pressing besides.
macro_rules! wanting {
    ($what:literal) => {
        select!(
            Job,
            concat!(
                "WHERE room_id = ?1 AND attention > 0 AND ",
                $what,
                " ORDER BY attention, status DESC, last_seq DESC LIMIT ?2"
            )
        )
    };
}
pub(crate) const WITH_ERROR: &str = wanting!("open_error > 0");
pub(crate) const WITH_QUESTION: &str = wanting!("last_question > last_manager");
pub(crate) const WITHOUT_PROOF: &str = wanting!("open_gate > 0");

/// Lists jobs whose claim has run out, the latest first.
pub(crate) const RUN_OUT: &str = select!(
    Job,
    "WHERE room_id = ?1 AND status = 'RUNNING' AND claim_expires_at_ms <= ?2
     ORDER BY claim_expires_at_ms DESC, number DESC
     LIMIT ?3"
);

/// Jobs that want this of somebody at `now`, whatever else they want.
pub fn wanting(
    tx: &mut dyn Tx,
    room: &RoomId,
    now: Timestamp,
    marker: Marker,
    limit: u32,
) -> Result<Vec<Job>, StoreError> {
    match marker {
        Marker::Error => list(tx, WITH_ERROR, room, &[&limit]),
        Marker::Question => list(tx, WITH_QUESTION, room, &[&limit]),
        Marker::Proof => list(tx, WITHOUT_PROOF, room, &[&limit]),
        Marker::Stale => list(tx, RUN_OUT, room, &[&now, &limit]),
    }
}
