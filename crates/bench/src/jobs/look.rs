//! The yardstick for looking at jobs: the rows of a radar and the newest events, read by hand-driven SQLite.
//!
//! Each look is one read transaction on a store that Baton made. Every column of every row is read, and nothing is made
//! of it.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use rusqlite::{Connection, ToSql};

use crate::raw::{LOAD, LOAD_MEMBERS, connect, now_ms};

/// The columns of a job that Baton reads.
macro_rules! jobs {
    ($which:literal) => {
        concat!(
            "SELECT number, title, kind, priority, status, task, anchor, routing, revision, runner, claimant, claim_executor,
                    claim_expires_at_ms, losses, last_question, last_manager, open_gate, open_error, summary, refs,
                    meta, last_seq, last_kind, last_preview, created_seq, created_by, created_at_ms, active_at_ms,
                    capability, claim_process, claim_via, progress
               FROM jobs
              WHERE room_id = ?1 AND ",
            $which
        )
    };
}

const PRESSING: &str = jobs!("attention > 0 ORDER BY attention, status DESC, last_seq DESC LIMIT ?2");

const RUNNING: &str =
    jobs!("status = 'RUNNING' AND attention = 0 AND claim_expires_at_ms > ?3 ORDER BY last_seq DESC LIMIT ?2");

const QUEUED: &str = jobs!("status = 'QUEUED' AND attention = 0 ORDER BY last_seq DESC LIMIT ?2");

const RUNNERS: &str = "
    SELECT runner, agent, capabilities, retired, phase, active, lease_expires_at_ms, process, via
      FROM runners
     WHERE room_id = ?1 AND lease_expires_at_ms > ?2
     ORDER BY lease_expires_at_ms DESC, runner
     LIMIT 20
";

const NEWEST: &str = "
    SELECT seq, type, actor, payload, created_at_ms, turn_id
      FROM log
     WHERE room_id = ?1
     ORDER BY seq DESC
     LIMIT ?2
";

/// Somebody who looks without Baton.
pub(crate) struct RawLook {
    connection: Connection,
    room_id: String,
}

impl RawLook {
    /// Opens the store at `data`.
    pub(crate) fn open(data: &Path, room_id: &str) -> rusqlite::Result<Self> {
        Ok(Self { connection: connect(data)?, room_id: room_id.to_owned() })
    }

    /// Reads what a radar with this many rows shows: first what is pressing, then what runs, then what waits.
    pub(crate) fn radar(&self, rows: i64) -> rusqlite::Result<Duration> {
        self.transaction(|| {
            let now = now_ms();
            self.read(RUNNERS, &[&self.room_id, &now])?;
            let mut left = rows - self.read(PRESSING, &[&self.room_id, &rows])?;
            if left > 0 {
                left -= self.read(RUNNING, &[&self.room_id, &left, &now])?;
            }
            if left > 0 {
                self.read(QUEUED, &[&self.room_id, &left])?;
            }
            Ok(())
        })
    }

    /// Reads this many of the newest events.
    pub(crate) fn newest(&self, events: i64) -> rusqlite::Result<Duration> {
        self.transaction(|| self.read(NEWEST, &[&self.room_id, &events]).map(|_| ()))
    }

    fn transaction(&self, work: impl FnOnce() -> rusqlite::Result<()>) -> rusqlite::Result<Duration> {
        let started = Instant::now();
        self.connection.prepare_cached("BEGIN DEFERRED")?.execute([])?;
        self.read(LOAD, &[&self.room_id])?;
        self.read(LOAD_MEMBERS, &[&self.room_id])?;
        let done = work();
        self.connection.prepare_cached("COMMIT")?.execute([])?;
        done.map(|()| started.elapsed())
    }

    fn read(&self, sql: &str, params: &[&dyn ToSql]) -> rusqlite::Result<i64> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let columns = statement.column_count();
        let mut rows = statement.query(params)?;
        let mut count = 0;
        while let Some(row) = rows.next()? {
            for column in 0..columns {
                std::hint::black_box(row.get_ref(column)?);
            }
            count += 1;
        }
        Ok(count)
    }
}
