//! The yardstick for jobs: the rows of a job's life, written by hand-driven SQLite, with nothing of Baton's.
//!
//! As in [`crate::raw`], it works on a store that Baton made, with the same pragmas and checkpoints, and stores the values
//! that Baton stored for the same step of an earlier job. Each step is one transaction, which reads the room, its members and
//! the job, appends to the log, writes the job, the room and the member's presence, and commits. Claiming reads the same
//! queues, the claims that ran out, the runner and the prompt. What it leaves out is what Baton adds: decisions, routing,
//! checks, the bell, and JSON.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use rusqlite::{Connection, OptionalExtension, ToSql, params_from_iter, types::Value};
use serde_json::json;

use super::hand::{REPORT, SUMMARY, job_to_do};
use crate::{
    player::Player,
    raw::{Checkpoints, LOAD, LOAD_MEMBERS, SEEN, connect, now_ms},
    trouble::{Outcome, refused},
};

const TOUCH: &str = "
    UPDATE rooms
       SET state = ?3, sequence_index = ?4, turn_id = ?5, owner = ?6, owner_process = ?7, owner_reason = ?8,
           owned_since_ms = ?9, lease_id = ?10, lease_expires_at_ms = ?11, reserved_for = ?12,
           claim_expires_at_ms = ?13, handoff_seq = ?14, handoff_from = ?15, handoff_via = ?16, last_seq = ?17,
           updated_at_ms = ?18
     WHERE room_id = ?1 AND last_seq = ?2
";

const APPEND: &str = "
    INSERT INTO log (room_id, seq, type, actor, subject, turn_id, payload, created_at_ms, job)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
";

const NEWEST: &str = "
    SELECT type, actor, subject, turn_id, payload
      FROM log
     WHERE room_id = ?1
     ORDER BY seq DESC
     LIMIT 1
";

/// A job's columns, those that change first.
macro_rules! columns {
    () => {
        "status, revision, runner, claimant, claim_executor, claim_expires_at_ms, losses, last_question, last_manager,
           open_gate, open_error, attention, summary, refs, meta, last_seq, last_kind, last_preview, active_at_ms,
           capability, claim_process, claim_via, progress, title, kind, priority, task, anchor, executor, routing, created_seq,
           created_by, created_at_ms"
    };
}

const FIND: &str = concat!("SELECT ", columns!(), ", number FROM jobs WHERE room_id = ?1 AND number = ?2");

const QUEUED: &str = concat!(
    "SELECT ",
    columns!(),
    ", number
      FROM jobs
     WHERE room_id = ?1 AND executor = ?2 AND status = 'QUEUED'
     ORDER BY priority, number
     LIMIT 1"
);

const OVERDUE: &str = concat!(
    "SELECT ",
    columns!(),
    ", number
      FROM jobs
     WHERE room_id = ?1 AND status = 'RUNNING' AND claim_expires_at_ms <= ?2
     ORDER BY claim_expires_at_ms
     LIMIT 1"
);

const INSERT: &str = concat!(
    "INSERT INTO jobs (room_id, number, ",
    columns!(),
    ")
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24,
             ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35)"
);

const UPDATE: &str = "
    UPDATE jobs
       SET status = ?3, revision = ?4, runner = ?5, claimant = ?6, claim_executor = ?7, claim_expires_at_ms = ?8,
           losses = ?9, last_question = ?10, last_manager = ?11, open_gate = ?12, open_error = ?13, attention = ?14,
           summary = ?15, refs = ?16, meta = ?17, last_seq = ?18, last_kind = ?19, last_preview = ?20,
           active_at_ms = ?21, capability = ?22, claim_process = ?23, claim_via = ?24, progress = ?25
     WHERE room_id = ?1 AND number = ?2
";

const REQUEUE: &str = "UPDATE jobs SET status = 'QUEUED' WHERE room_id = ?1 AND number = ?2";

const LAST: &str = "SELECT number FROM jobs WHERE room_id = ?1 ORDER BY number DESC LIMIT 1";

const RUNNER: &str = "
    SELECT runner, agent, capabilities, retired, phase, active, lease_expires_at_ms, process, via
      FROM runners
     WHERE room_id = ?1 AND runner = ?2
";

const PROMPT: &str = "
    SELECT seq, type, actor, payload, created_at_ms, turn_id
      FROM log
     WHERE room_id = ?1 AND seq = ?2
";

/// The queues that [`super::Hand`] looks into.
const QUEUES: [&str; 3] = ["codex", "claude_code", "auto"];

// Places among the columns of a job.
const CLAIM_EXPIRES: usize = 5;
const LAST_SEQ: usize = 15;
const ACTIVE_AT: usize = 18;
const CHANGING: usize = 23;
const PRIORITY: usize = 25;
const CREATED_SEQ: usize = 30;
const CREATED_AT: usize = 32;
const NUMBER: usize = 33;

/// The columns of [`LOAD`] that a step stores again: all of the stick.
const STICK: std::ops::Range<usize> = 2..16;
/// The column of [`LOAD`] with the place of the room's last event.
const ROOM_LAST_SEQ: usize = 17;
const CLAIM_MS: i64 = 180_000;

/// Jobs of a room on a raw connection.
pub(crate) struct RawJobs {
    connection: Connection,
    room_id: String,
    agent_id: String,
    created: Step,
    claimed: Step,
    reported: Step,
    completed: Step,
    checkpoints: Checkpoints,
}

/// What one step of a job's life stores.
struct Step {
    /// Its row of the log: type, actor, subject, turn and payload.
    event: Vec<Value>,
    /// The job's columns after it.
    job: Vec<Value>,
    /// How the payload names the job.
    name: String,
}

impl RawJobs {
    /// Works in the room at `workspace`, in the store at `data`, where Baton shows it what each step stores.
    pub(crate) fn open(data: &Path, workspace: &Path, agent: &str) -> Outcome<Self> {
        let player = Player::join(data, workspace, agent)?;
        let mut connection = connect(data)?;
        let room_id = player.room_id().to_owned();
        let made = player.does("jobs.create", job_to_do(&room_id)).map_err(refused)?;
        let name = made["job"].as_str().ok_or("creating answered no job")?.to_owned();
        let number: i64 = name.trim_start_matches("JOB-").parse()?;
        let shown = || Step::read(&connection, &room_id, number, &name);
        let created = shown()?;
        let do_it = |command: &str, more: serde_json::Value| -> Outcome<Step> {
            let mut input = json!({"room_id": room_id, "job": name, "runner_id": agent});
            if let (Some(input), serde_json::Value::Object(more)) = (input.as_object_mut(), more) {
                input.extend(more);
            }
            player.does(command, input).map_err(refused)?;
            shown()
        };
        let claimed = do_it("jobs.claim", json!({}))?;
        let report = json!({"claim_revision": 1, "kind": "progress", "message": REPORT, "percent": 50});
        let reported = do_it("jobs.report", report)?;
        let completed = do_it("jobs.complete", json!({"claim_revision": 1, "status": "DONE", "summary": SUMMARY}))?;
        drop(player);
        let checkpoints = Checkpoints::install(&mut connection)?;
        let agent_id = agent.to_owned();
        Ok(Self { connection, room_id, agent_id, created, claimed, reported, completed, checkpoints })
    }

    /// Adds a job, and tells its number.
    pub(crate) fn create(&mut self) -> rusqlite::Result<(i64, Duration)> {
        self.transaction(|raw, now| {
            let last: Option<i64> = raw.cached(LAST)?.query_row([&raw.room_id], |row| row.get(0)).optional()?;
            let number = last.unwrap_or_default() + 1;
            raw.write(&raw.created, number, now)?;
            Ok(number)
        })
    }

    /// Claims the first job of the queues, and tells which.
    pub(crate) fn claim_next(&mut self) -> rusqlite::Result<(Option<i64>, Duration)> {
        self.transaction(|raw, now| {
            raw.read_all(RUNNER, &[&raw.room_id, &raw.agent_id])?;
            raw.read_all(OVERDUE, &[&raw.room_id, &now])?;
            let mut best: Option<(i64, i64, i64)> = None;
            for queue in QUEUES {
                let found = raw.cached(QUEUED)?.query_row((&raw.room_id, queue), |row| {
                    Ok((-row.get::<_, i64>(PRIORITY)?, row.get(NUMBER)?, row.get(CREATED_SEQ)?))
                });
                best = best.into_iter().chain(found.optional()?).min();
            }
            let Some((_, number, created)) = best else { return Ok(None) };
            raw.write(&raw.claimed, number, now)?;
            raw.read_all(PROMPT, &[&raw.room_id, &created])?;
            Ok(Some(number))
        })
    }

    /// Claims this job.
    pub(crate) fn claim(&mut self, number: i64) -> rusqlite::Result<((), Duration)> {
        self.transaction(|raw, now| {
            raw.read_all(RUNNER, &[&raw.room_id, &raw.agent_id])?;
            let created: i64 = raw.cached(FIND)?.query_row((&raw.room_id, number), |row| row.get(CREATED_SEQ))?;
            raw.write(&raw.claimed, number, now)?;
            raw.read_all(PROMPT, &[&raw.room_id, &created])
        })
    }

    /// Reports on this job.
    pub(crate) fn report(&mut self, number: i64) -> rusqlite::Result<((), Duration)> {
        self.transaction(|raw, now| {
            raw.read_all(FIND, &[&raw.room_id, &number])?;
            raw.write(&raw.reported, number, now)
        })
    }

    /// Ends this job.
    pub(crate) fn complete(&mut self, number: i64) -> rusqlite::Result<((), Duration)> {
        self.transaction(|raw, now| {
            raw.read_all(FIND, &[&raw.room_id, &number])?;
            raw.write(&raw.completed, number, now)
        })
    }

    /// Has a job done again, so that there is something to claim.
    pub(crate) fn put_back(&mut self, number: i64) -> rusqlite::Result<()> {
        self.cached(REQUEUE)?.execute((&self.room_id, number))?;
        self.checkpoints.after_commit(&self.connection);
        Ok(())
    }

    fn transaction<T>(
        &mut self,
        work: impl FnOnce(&Self, i64) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<(T, Duration)> {
        let started = Instant::now();
        self.cached("BEGIN IMMEDIATE")?.execute([])?;
        let done = match work(self, now_ms()) {
            Ok(done) => done,
            Err(error) => {
                self.cached("ROLLBACK")?.execute([])?;
                return Err(error);
            }
        };
        self.cached("COMMIT")?.execute([])?;
        self.checkpoints.after_commit(&self.connection);
        Ok((done, started.elapsed()))
    }

    /// Stores a step of job `number`.
    fn write(&self, step: &Step, number: i64, now: i64) -> rusqlite::Result<()> {
        let (last_seq, stick) = self.cached(LOAD)?.query_row([&self.room_id], |row| {
            let stick = STICK.map(|column| row.get(column)).collect::<rusqlite::Result<Vec<Value>>>()?;
            Ok((row.get::<_, i64>(ROOM_LAST_SEQ)?, stick))
        })?;
        self.read_all(LOAD_MEMBERS, &[&self.room_id])?;
        let seq = last_seq + 1;

        let mut event = step.event.clone();
        if let Some(Value::Text(payload)) = event.last_mut() {
            *payload = payload.replace(&step.name, &format!("JOB-{number:03}"));
        }
        let place: [&dyn ToSql; 2] = [&self.room_id, &seq];
        let end: [&dyn ToSql; 2] = [&now, &number];
        self.execute(APPEND, place.into_iter().chain(event.iter().map(value)).chain(end))?;

        let mut job = step.job.clone();
        let is_new = std::ptr::eq(step, &self.created);
        (job[LAST_SEQ], job[ACTIVE_AT]) = (seq.into(), now.into());
        if matches!(job[CLAIM_EXPIRES], Value::Integer(_)) {
            job[CLAIM_EXPIRES] = (now + CLAIM_MS).into();
        }
        if is_new {
            (job[CREATED_SEQ], job[CREATED_AT]) = (seq.into(), now.into());
        }
        let place: [&dyn ToSql; 2] = [&self.room_id, &number];
        let (sql, stored) = if is_new { (INSERT, &job[..NUMBER]) } else { (UPDATE, &job[..CHANGING]) };
        self.execute(sql, place.into_iter().chain(stored.iter().map(value)))?;

        let place: [&dyn ToSql; 2] = [&self.room_id, &last_seq];
        let end: [&dyn ToSql; 2] = [&seq, &now];
        self.execute(TOUCH, place.into_iter().chain(stick.iter().map(value)).chain(end))?;
        self.cached(SEEN)?.execute((&self.room_id, &self.agent_id, now))?;
        Ok(())
    }

    fn execute<'a>(&self, sql: &str, params: impl Iterator<Item = &'a dyn ToSql>) -> rusqlite::Result<()> {
        self.cached(sql)?.execute(params_from_iter(params)).map(|_| ())
    }

    fn read_all(&self, sql: &str, params: &[&dyn ToSql]) -> rusqlite::Result<()> {
        let mut statement = self.cached(sql)?;
        let mut rows = statement.query(params)?;
        while rows.next()?.is_some() {}
        Ok(())
    }

    fn cached(&self, sql: &str) -> rusqlite::Result<rusqlite::CachedStatement<'_>> {
        self.connection.prepare_cached(sql)
    }
}

fn value(value: &Value) -> &dyn ToSql {
    value
}

impl Step {
    /// What the last step of a job has stored.
    fn read(connection: &Connection, room_id: &str, number: i64, name: &str) -> Outcome<Self> {
        let event = connection.query_row(NEWEST, [room_id], |row| (0..5).map(|column| row.get(column)).collect())?;
        let job = connection.query_row(FIND, (room_id, number), |row| {
            (0..NUMBER).map(|column| row.get(column)).collect::<rusqlite::Result<Vec<Value>>>()
        })?;
        Ok(Self { event, job, name: name.to_owned() })
    }
}
