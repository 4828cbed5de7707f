//! Opening the database. Nothing else ever opens the file: closing a stray descriptor to it would drop the
//! locks this process holds through SQLite.
#![expect(clippy::disallowed_methods, reason = "this is the one place that opens a database")]

use std::{
    fs::{self, DirBuilder, File, OpenOptions, Permissions},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    path::Path,
};

use rusqlite::{Connection, OpenFlags, config::DbConfig};

use super::{busy::Waiting, checkpoint::Frames, failure, memory::Memory};
use crate::StoreError;

/// The database's name in the data directory.
pub const DATABASE_FILE: &str = "rooms.sqlite";

const DIRECTORY_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// Statements a connection keeps prepared.
const STATEMENTS: usize = 64;

/// What every connection is set to. The journal mode is the file's own, set when it is made.
const PRAGMAS: &str = "
    PRAGMA synchronous = NORMAL;
    PRAGMA foreign_keys = ON;
";

/// A connection, and what goes with it.
pub(super) struct Open {
    pub(super) connection: Connection,
    pub(super) frames: Frames,
    pub(super) patience: Waiting,
    pub(super) memory: Memory,
}

/// Opens the database file, which must be there.
pub(super) fn connect(path: &Path) -> Result<Open, StoreError> {
    let wrong = |error: rusqlite::Error| failure::from_sqlite(path, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(wrong)?;
    // Else SQLite plans a statement anew each time a bound LIMIT or key changes: 30 µs for a read of 1 µs.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(wrong)?;
    let patience = Waiting::install(&mut connection).map_err(wrong)?;
    connection.execute_batch(PRAGMAS).map_err(wrong)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    let frames = Frames::install(&mut connection).map_err(wrong)?;
    Ok(Open { connection, frames, patience, memory: Memory::default() })
}

/// Makes an empty database file with its mode, unless there is one. It never opens an existing file.
pub(super) fn create_file(path: &Path) -> Result<(), StoreError> {
    match OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(path) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(failure::from_io(path, &error)),
    }
    require_mode(path, FILE_MODE)
}

/// Makes a directory that only its owner can use, whatever the umask. One that is there already keeps its mode: it
/// may be anybody's, and the files in it are private by themselves.
pub(super) fn private_directory(path: &Path) -> Result<(), StoreError> {
    if fs::metadata(path).is_ok_and(|found| found.is_dir()) {
        return Ok(());
    }
    let made = DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(path);
    made.map_err(|error| failure::from_io(path, &error))?;
    require_mode(path, DIRECTORY_MODE)
}

/// Opens, or makes, a small private file that is not the database: a lock or a bell.
pub(super) fn lock_file(path: &Path) -> io::Result<File> {
    match OpenOptions::new().read(true).write(true).create_new(true).mode(FILE_MODE).open(path) {
        Ok(file) => {
            // The umask may have taken away what we need ourselves.
            file.set_permissions(Permissions::from_mode(FILE_MODE))?;
            Ok(file)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(FILE_MODE).open(path)
        }
        Err(error) => Err(error),
    }
}

/// Takes away what others may do with a file of ours.
fn require_mode(path: &Path, mode: u32) -> Result<(), StoreError> {
    let wrong = |error: io::Error| failure::from_io(path, &error);
    let metadata = fs::metadata(path).map_err(wrong)?;
    if metadata.permissions().mode() & 0o777 == mode || metadata.uid() != rustix::process::geteuid().as_raw() {
        return Ok(());
    }
    match fs::set_permissions(path, Permissions::from_mode(mode)) {
        // A read-only disk keeps its modes; what cannot be written is found out when something is.
        Err(error) if error.kind() == io::ErrorKind::ReadOnlyFilesystem => Ok(()),
        other => other.map_err(wrong),
    }
}

/// What `path` allows beyond its mode, for a check.
pub(super) fn excess_mode(path: &Path, directory: bool) -> Option<u32> {
    let allowed = if directory { DIRECTORY_MODE } else { FILE_MODE };
    let mode = fs::metadata(path).ok()?.permissions().mode() & 0o777;
    (mode & !allowed != 0).then_some(mode)
}
