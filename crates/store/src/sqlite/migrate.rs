//! Bringing a database up to date. Migrations are numbered, applied in order, and never edited.
//!
//! Any number of processes may start at once: one migrates under a lock file, the others find it done. A
//! database that is newer than this program is read and not written.
#![expect(clippy::disallowed_methods, reason = "this module is a wait: it measures and sleeps")]

use std::{
    fs::TryLockError,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, TransactionBehavior};

use super::{failure, open};
use crate::{
    StoreError,
    schema::{MIGRATIONS, SCHEMA_VERSION},
};

/// Marks the file as Baton's: "Batn".
const APPLICATION_ID: i64 = 0x4261_746e;

/// The journal mode in which readers and a writer do not wait for each other.
const WAL: &str = "wal";

/// How long a start waits for another process to migrate.
const DEADLINE: Duration = Duration::from_secs(30);

/// Brings the database up to date and tells which schema it has then.
pub(super) fn run(connection: &mut Connection, directory: &Path, path: &Path) -> Result<i64, StoreError> {
    let found = inspect(connection, path)?;
    if found >= SCHEMA_VERSION && journal_mode(connection, path)? == WAL {
        return Ok(found);
    }
    let lock_path = directory.join("migrate.lock");
    let lock = open::lock_file(&lock_path).map_err(|error| failure::from_io(&lock_path, &error))?;
    let started = Instant::now();
    while let Err(error) = lock.try_lock() {
        if let TryLockError::Error(error) = error {
            return Err(failure::from_io(&lock_path, &error));
        }
        if started.elapsed() > DEADLINE {
            let holder = "another process that is migrating it".to_owned();
            return Err(StoreError::Busy { holder, waited_ms: DEADLINE.as_millis() as u64 });
        }
        thread::sleep(Duration::from_millis(1));
    }
    apply(connection, path)?;
    inspect(connection, path)
}

/// The schema of the database, after making sure that it is one of ours (or empty).
pub(super) fn inspect(connection: &Connection, path: &Path) -> Result<i64, StoreError> {
    let wrong = |error: rusqlite::Error| failure::from_sqlite(path, &error);
    // One look at all three: another process may commit its migration in between.
    let look = connection.unchecked_transaction().map_err(wrong)?;
    let tables: i64 = look.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(wrong)?;
    let version: i64 = pragma(&look, "user_version").map_err(wrong)?;
    let application: i64 = pragma(&look, "application_id").map_err(wrong)?;
    drop(look);
    if application == APPLICATION_ID {
        return Ok(version);
    }
    if application == 0 && version == 0 && tables == 0 {
        return Ok(0);
    }
    let detail = "it belongs to another program".to_owned();
    Err(StoreError::Corrupt { place: path.display().to_string(), detail })
}

fn apply(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let wrong = |error: rusqlite::Error| failure::from_sqlite(path, &error);
    // The journal mode belongs to the file (a restored one may have another) and cannot change in a transaction.
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0)).map_err(wrong)?;
    if mode != WAL {
        let detail = format!("its journal mode is {mode} and cannot be changed to {WAL}");
        return Err(StoreError::Unavailable { place: path.display().to_string(), detail });
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(wrong)?;
    let version: i64 = pragma(&transaction, "user_version").map_err(wrong)?;
    for migration in MIGRATIONS.iter().skip(version.max(0) as usize) {
        transaction.execute_batch(migration.sqlite).map_err(wrong)?;
    }
    if version < SCHEMA_VERSION {
        transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(wrong)?;
        transaction.pragma_update(None, "user_version", SCHEMA_VERSION).map_err(wrong)?;
    }
    transaction.commit().map_err(wrong)
}

fn journal_mode(connection: &Connection, path: &Path) -> Result<String, StoreError> {
    let mode = connection.pragma_query_value(None, "journal_mode", |row| row.get(0));
    mode.map_err(|error| failure::from_sqlite(path, &error))
}

/// Reads a number that the database's header holds.
pub(super) fn pragma(connection: &Connection, name: &str) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, name, |row| row.get(0))
}
