//! The engine itself: a few connections to one file, and the discipline of a transaction.

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use baton_core::{
    ids::{AgentId, RoomId},
    time::Timestamp,
};
use rusqlite::Connection;

use super::{
    busy,
    checkpoint::Checkpoints,
    clock::StoreClock,
    doorbell::{Doorbells, Ring},
    failure, filesystem, migrate,
    open::{self, DATABASE_FILE, Open},
    seat::Seats,
    tx::SqliteTx,
};
use crate::{
    Check, StoreError, StoreInfo,
    clock::{Clock, Time},
    engine::{Bell, Engine, Patience, Seat, Tx, Verdict},
    schema::SCHEMA_VERSION,
};

/// Connections kept open for the next caller.
const IDLE_CONNECTIONS: usize = 4;

/// How far the wall clock may be from the store's time before it is worth a word.
const CLOCKS_APART_MS: u64 = 60_000;

/// The database file of one data directory.
pub(crate) struct Sqlite {
    path: PathBuf,
    /// Which file it was when it was opened: device and inode.
    file: (u64, u64),
    idle: Mutex<Vec<Open>>,
    clock: StoreClock,
    checkpoints: Checkpoints,
    doorbells: Doorbells,
    seats: Seats,
}

impl Sqlite {
    /// Opens the database in `directory`, making and migrating it as needed.
    pub(crate) fn open(directory: &Path, time: Time) -> Result<Self, StoreError> {
        Self::open_with(directory, StoreClock::of(time))
    }

    /// Opens it with a clock that is not set yet.
    pub(super) fn open_with(directory: &Path, clock: StoreClock) -> Result<Self, StoreError> {
        open::private_directory(directory)?;
        filesystem::require_local(directory)?;
        let path = directory.join(DATABASE_FILE);
        open::create_file(&path)?;
        let mut first = open::connect(&path)?;
        migrate::run(&mut first.connection, directory, &path)?;
        let store = Self {
            file: identity(&path).ok_or_else(|| StoreError::Replaced { path: path.clone() })?,
            idle: Mutex::new(vec![first]),
            clock,
            checkpoints: Checkpoints::new(directory)?,
            doorbells: Doorbells::new(directory)?,
            seats: Seats::new(directory)?,
            path,
        };
        // Looks at the clock. A store that cannot be read says so when something is wanted of it.
        let _ = store.read(&mut |_| ());
        Ok(store)
    }

    /// The schema of the database in `directory`, if there is one.
    pub(crate) fn schema_in(directory: &Path) -> Result<Option<i64>, StoreError> {
        let path = directory.join(DATABASE_FILE);
        match fs::metadata(&path) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failure::from_io(&path, &error)),
        }
        let schema = migrate::inspect(&open::connect(&path)?.connection, &path)?;
        Ok(Some(schema).filter(|schema| *schema > 0))
    }

    fn checkout(&self) -> Result<Open, StoreError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match idle {
            Some(open) => {
                open.patience.set(Patience::Deadline);
                Ok(open)
            }
            None => {
                // Before it is opened: a connection to another file would play the old log into it.
                self.require_same_file()?;
                open::connect(&self.path)
            }
        }
    }

    fn checkin(&self, open: Open) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_CONNECTIONS {
            idle.push(open);
        }
    }

    /// A process that holds a deleted database would go on acknowledging into a ghost.
    fn require_same_file(&self) -> Result<(), StoreError> {
        match identity(&self.path) {
            Some(file) if file == self.file => Ok(()),
            Some(_) | None => Err(StoreError::Replaced { path: self.path.clone() }),
        }
    }

    fn require_writable(&self, connection: &Connection) -> Result<(), StoreError> {
        let version: i64 = connection
            .prepare_cached("PRAGMA user_version")
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
            .map_err(|error| self.wrong(&error))?;
        if version > SCHEMA_VERSION {
            return Err(StoreError::Newer { found: version, known: SCHEMA_VERSION });
        }
        Ok(())
    }

    fn wrong(&self, error: &rusqlite::Error) -> StoreError {
        failure::from_sqlite(&self.path, error)
    }

    fn run(&self, connection: &Connection, sql: &'static str) -> Result<(), StoreError> {
        let mut statement = connection.prepare_cached(sql).map_err(|error| self.wrong(&error))?;
        statement.execute([]).map_err(|error| self.wrong(&error))?;
        Ok(())
    }

    /// Runs `work` between `begin` and its end. Whatever fails, no transaction stays open: the connection of a
    /// failed one is closed instead of being kept.
    fn transact(
        &self,
        open: &mut Open,
        begin: &'static str,
        work: &mut dyn FnMut(&mut dyn Tx) -> Verdict,
    ) -> Result<Vec<(RoomId, Ring)>, StoreError> {
        let Open { connection, memory, .. } = open;
        self.run(connection, begin)?;
        self.require_same_file()?;
        let mut tx = SqliteTx {
            connection,
            path: &self.path,
            clock: &self.clock,
            now: None,
            rings: Vec::new(),
            memory,
            is_compared: false,
        };
        if begin == BEGIN_WRITE {
            tx.compare()?;
            if !tx.memory.is_writable() {
                self.require_writable(connection)?;
                tx.memory.note_writable();
            }
        }
        let looked = self.clock.look(&mut tx);
        if begin == BEGIN_WRITE {
            // What is decided now goes by the store's time. A read of a newer schema may do without.
            looked?;
        }
        match work(&mut tx) {
            Verdict::Commit => {
                let rings = tx.rings;
                self.run(connection, "COMMIT")?;
                Ok(rings)
            }
            Verdict::Rollback => {
                tx.memory.forget();
                self.run(connection, "ROLLBACK")?;
                Ok(Vec::new())
            }
        }
    }

    /// Sets the clock, in a transaction of its own: what is decided after it must not be undone with it.
    fn set_clock(&self, open: &mut Open) -> Result<(), StoreError> {
        let mut set = Ok(());
        self.transact(open, BEGIN_WRITE, &mut |tx| {
            set = self.clock.set(tx);
            if set.is_ok() { Verdict::Commit } else { Verdict::Rollback }
        })?;
        set
    }

    fn check_modes(&self) -> Vec<Check> {
        let directory = self.path.parent().map(Path::to_owned).unwrap_or_default();
        let places =
            [(directory, true), (self.path.clone(), false), (self.beside("-wal"), false), (self.beside("-shm"), false)];
        let check = |(path, is_directory): (PathBuf, bool)| Check {
            problem: open::excess_mode(&path, is_directory)
                .map(|mode| format!("others may use it (mode {mode:03o}); run chmod go-rwx on it")),
            what: format!("mode of {}", path.display()),
        };
        places.into_iter().map(check).collect()
    }

    fn beside(&self, suffix: &str) -> PathBuf {
        let mut path = self.path.as_os_str().to_owned();
        path.push(suffix);
        path.into()
    }
}

const BEGIN_READ: &str = "BEGIN DEFERRED";
const BEGIN_WRITE: &str = "BEGIN IMMEDIATE";

impl Engine for Sqlite {
    fn read(&self, work: &mut dyn FnMut(&mut dyn Tx)) -> Result<(), StoreError> {
        let mut open = self.checkout()?;
        self.transact(&mut open, BEGIN_READ, &mut |tx| {
            work(tx);
            Verdict::Commit
        })?;
        self.checkin(open);
        Ok(())
    }

    fn write(&self, patience: Patience, work: &mut dyn FnMut(&mut dyn Tx) -> Verdict) -> Result<(), StoreError> {
        let mut open = self.checkout()?;
        open.patience.set(patience);
        if self.clock.is_unset() {
            self.set_clock(&mut open)?;
        }
        let rings = self.transact(&mut open, BEGIN_WRITE, work)?;
        for (room, ring) in &rings {
            self.doorbells.ring(room, *ring);
        }
        self.checkpoints.after_commit(&open);
        self.checkin(open);
        Ok(())
    }

    fn listen(&self, room: &RoomId) -> Result<Box<dyn Bell>, StoreError> {
        Ok(Box::new(self.doorbells.listen(room)?))
    }

    fn listen_everywhere(&self) -> Result<Box<dyn Bell>, StoreError> {
        Ok(Box::new(self.doorbells.listen_everywhere()?))
    }

    fn listener_seat(&self, room: &RoomId, agent: &AgentId) -> Result<Option<Box<dyn Seat>>, StoreError> {
        Ok(self.seats.take(room, agent)?.map(|seat| Box::new(seat) as Box<dyn Seat>))
    }

    fn now(&self) -> Result<Timestamp, StoreError> {
        Ok(self.clock.now())
    }

    fn is_remote(&self) -> bool {
        false
    }

    fn info(&self) -> Result<StoreInfo, StoreError> {
        let open = self.checkout()?;
        let schema = migrate::pragma(&open.connection, "user_version").map_err(|error| self.wrong(&error))?;
        self.checkin(open);
        let bytes = |path: PathBuf| fs::metadata(path).map_or(0, |metadata| metadata.len());
        Ok(StoreInfo {
            place: self.path.display().to_string(),
            schema,
            read_only: schema > SCHEMA_VERSION,
            engine: format!("SQLite {}", rusqlite::version()),
            database_bytes: bytes(self.path.clone()),
            wal_bytes: Some(bytes(self.beside("-wal"))),
            writer: busy::writer(&self.path),
            clock_ahead_ms: Some(self.clock.wall_is_ahead_by()).filter(|ahead| ahead.unsigned_abs() > CLOCKS_APART_MS),
            server: None,
        })
    }

    fn check(&self) -> Result<Vec<Check>, StoreError> {
        let open = self.checkout()?;
        let mut found = Vec::new();
        for (what, sql) in
            [("database pages", "PRAGMA integrity_check(5)"), ("references between tables", "PRAGMA foreign_key_check")]
        {
            let mut statement = open.connection.prepare(sql).map_err(|error| self.wrong(&error))?;
            let rows = statement
                .query_map([], |row| row.get::<_, String>(0))
                .and_then(Iterator::collect::<rusqlite::Result<Vec<_>>>)
                .map_err(|error| self.wrong(&error))?;
            let problems: Vec<_> = rows.into_iter().filter(|row| row != "ok").collect();
            let problem = (!problems.is_empty()).then(|| problems.join("; "));
            found.push(Check { what: what.to_owned(), problem });
        }
        self.checkin(open);
        found.extend(self.check_modes());
        Ok(found)
    }
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}
