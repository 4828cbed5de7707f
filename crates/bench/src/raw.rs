//! The raw yardstick: the rows of a claim or a release, written by hand-driven SQLite, with nothing of Baton's.
//!
//! It works on a store that Baton made, so the schema and the rows are the same, and so are pragmas, cached
//! statements and checkpoints (PASSIVE, after the commit, past 1,000 frames). One transaction reads the room and its
//! members, appends to the log, updates the room and the member's presence, and commits. The values are those
//! that Baton stored for the same transition. What it leaves out is what Baton adds: the
//! decision, the handoff that is read for the new holder, the checks of the file, the bell, and JSON.
//!
//! What must stay true: it waits for the lock by plain `busy_timeout`, because that is what it stands for.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use rusqlite::{Connection, OpenFlags, ToSql, config::DbConfig, params_from_iter, types::Value};

use crate::{
    helpers,
    player::{Door, Player},
    trouble::{Outcome, refused},
};

pub(crate) const LOAD: &str = "
    SELECT room_id, canonical_path, state, sequence_index, turn_id, owner, owner_process, owner_reason,
           owned_since_ms, lease_id, lease_expires_at_ms, reserved_for, claim_expires_at_ms, handoff_seq,
           handoff_from, handoff_via, policy, last_seq, created_at_ms, updated_at_ms
      FROM rooms
     WHERE room_id = ?1
";

pub(crate) const LOAD_MEMBERS: &str = "
    SELECT agent_id, display_name, session_kind, host_id, boot_id, pid_namespace, pid, start_ticks, pidfd_inode,
           process_started_at_ms, joined_at_ms, last_seen_at_ms
      FROM members
     WHERE room_id = ?1
     ORDER BY ordinal
";

const APPEND: &str = "
    INSERT INTO log (room_id, seq, type, actor, subject, turn_id, payload, created_at_ms)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
";

const UPDATE: &str = "
    UPDATE rooms
       SET state = ?3, sequence_index = ?4, turn_id = ?5, owner = ?6, owner_process = ?7, owner_reason = ?8,
           owned_since_ms = ?9, lease_id = ?10, lease_expires_at_ms = ?11, reserved_for = ?12,
           claim_expires_at_ms = ?13, handoff_seq = ?14, handoff_from = ?15, handoff_via = ?16, policy = ?17,
           last_seq = ?18, updated_at_ms = ?19
     WHERE room_id = ?1 AND last_seq = ?2
";

pub(crate) const SEEN: &str = "
    UPDATE members
       SET last_seen_at_ms = ?3
     WHERE room_id = ?1 AND agent_id = ?2 AND last_seen_at_ms < ?3
";

const NEWEST: &str = "
    SELECT type, actor, subject, turn_id, payload
      FROM log
     WHERE room_id = ?1
     ORDER BY seq DESC
     LIMIT 1
";

/// How long a raw writer waits for the lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// The column of [`LOAD`] with the place of the room's last event.
const LAST_SEQ: usize = 17;
/// The columns of [`LOAD`] that a transition stores.
const STORED: std::ops::Range<usize> = 2..17;
/// Frames past which a commit is followed by a checkpoint, and between two that could not finish.
const CHECKPOINT_FRAMES: u32 = 1_000;
const CHECKPOINT_STEP: u32 = 250;

/// A room on a raw connection.
pub(crate) struct Raw {
    connection: Connection,
    room_id: String,
    agent_id: String,
    claim: Change,
    release: Change,
    holds: bool,
    checkpoints: Checkpoints,
}

/// What one transition stores.
struct Change {
    /// The room's columns after it.
    room: Vec<Value>,
    /// Its row of the log: type, actor, subject, turn and payload.
    event: Vec<Value>,
}

impl Raw {
    /// Opens a room of its own in the store in `data`, where Baton shows it what a claim and a release store.
    pub(crate) fn open(data: &Path, workspace: &Path, agent: &str) -> Outcome<Self> {
        let mut player = Player::join(data, workspace, agent)?;
        let mut connection = connect(data)?;
        let mut shown = || -> Outcome<Change> {
            player.transition(Door::Json).map_err(refused)?;
            Change::read(&connection, player.room_id())
        };
        // The first claim finds no handoff, so that it is not like the ones that follow.
        let (_, _, claim, release) = (shown()?, shown()?, shown()?, shown()?);
        let room_id = player.room_id().to_owned();
        drop(player);
        let checkpoints = Checkpoints::install(&mut connection)?;
        let agent_id = agent.to_owned();
        Ok(Self { connection, room_id, agent_id, claim, release, holds: false, checkpoints })
    }

    /// Claims or releases, in turns, and tells how long it took.
    pub(crate) fn transition(&mut self) -> rusqlite::Result<Duration> {
        let started = Instant::now();
        let change = if self.holds { &self.release } else { &self.claim };
        self.connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        if let Err(error) = self.write(change) {
            self.connection.prepare_cached("ROLLBACK")?.execute([])?;
            return Err(error);
        }
        self.connection.prepare_cached("COMMIT")?.execute([])?;
        self.holds = !self.holds;
        self.checkpoints.after_commit(&self.connection);
        Ok(started.elapsed())
    }

    fn write(&self, change: &Change) -> rusqlite::Result<()> {
        let now = now_ms();
        let last_seq: i64 =
            self.connection.prepare_cached(LOAD)?.query_row([&self.room_id], |row| row.get(LAST_SEQ))?;
        let mut members = self.connection.prepare_cached(LOAD_MEMBERS)?;
        let mut rows = members.query([&self.room_id])?;
        while rows.next()?.is_some() {}
        let seq = last_seq + 1;

        let place: [&dyn ToSql; 2] = [&self.room_id, &seq];
        let event = change.event.iter().map(|value| value as &dyn ToSql);
        let params = place.into_iter().chain(event).chain([&now as &dyn ToSql]);
        self.connection.prepare_cached(APPEND)?.execute(params_from_iter(params))?;

        let place: [&dyn ToSql; 2] = [&self.room_id, &last_seq];
        let room = change.room.iter().map(|value| value as &dyn ToSql);
        let params = place.into_iter().chain(room).chain([&seq as &dyn ToSql, &now]);
        self.connection.prepare_cached(UPDATE)?.execute(params_from_iter(params))?;

        self.connection.prepare_cached(SEEN)?.execute((&self.room_id, &self.agent_id, now))?;
        Ok(())
    }
}

/// Counts the frames of the write-ahead log, and moves them into the database now and then, as Baton does.
pub(crate) struct Checkpoints {
    frames: Arc<AtomicU32>,
    tried: u32,
}

impl Checkpoints {
    /// Starts counting, in place of SQLite's own checkpoints.
    pub(crate) fn install(connection: &mut Connection) -> rusqlite::Result<Self> {
        let frames = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&frames);
        connection.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, pages: i32| {
            counted.store(pages.unsigned_abs(), Ordering::Relaxed);
            Ok(())
        }))?;
        Ok(Self { frames, tried: 0 })
    }

    /// Checkpoints if the log is long enough.
    pub(crate) fn after_commit(&mut self, connection: &Connection) {
        let frames = self.frames.load(Ordering::Relaxed);
        if frames < CHECKPOINT_FRAMES {
            self.tried = 0;
        } else if self.tried == 0 || frames < self.tried || frames >= self.tried + CHECKPOINT_STEP {
            self.tried = frames;
            // Another process may be at it already, and then this one has nothing to do.
            let _ = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        }
    }
}

impl Change {
    /// What the last transition of a room has stored.
    fn read(connection: &Connection, room_id: &str) -> Outcome<Self> {
        let values = |sql: &str, columns: std::ops::Range<usize>| -> rusqlite::Result<Vec<Value>> {
            connection.prepare_cached(sql)?.query_row([room_id], |row| columns.map(|column| row.get(column)).collect())
        };
        Ok(Self { room: values(LOAD, STORED)?, event: values(NEWEST, 0..5)? })
    }
}

/// A connection with Baton's pragmas and SQLite's own way of waiting.
pub(crate) fn connect(data: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(data.join(baton_store::DATABASE_FILE), flags)?;
    // Without this SQLite prepares some cached statements again each time they are bound, which would flatter Baton.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;")?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// A helper that sits inside a write transaction on the store in a directory, until it is killed or let go.
pub(crate) fn hold(words: &[String]) -> Outcome<()> {
    let [data] = words else { return Err("the holder needs a data directory".into()) };
    let connection = connect(Path::new(data))?;
    connection.execute_batch("BEGIN IMMEDIATE")?;
    connection.execute("UPDATE rooms SET updated_at_ms = updated_at_ms + 1", [])?;
    helpers::ready()?;
    helpers::wait_for_the_end()?;
    connection.execute_batch("ROLLBACK")?;
    Ok(())
}

/// Moves all of the write-ahead log into the database, so that its one file has everything.
pub(crate) fn settle(data: &Path) -> rusqlite::Result<()> {
    connect(data)?.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

/// Opens a database and looks at it, as a server without Baton would at its start.
pub(crate) fn open_existing(data: &Path) -> rusqlite::Result<Connection> {
    let connection = connect(data)?;
    connection.query_row("SELECT count(*) FROM rooms", [], |_| Ok(()))?;
    Ok(connection)
}

pub(crate) fn now_ms() -> i64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX)
}
