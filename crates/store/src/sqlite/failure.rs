//! SQLite's and the system's errors, in the store's words.

use std::{io, path::Path};

use rusqlite::{Error, ErrorCode};

use crate::StoreError;

/// Names what went wrong with the database at `path`.
pub(super) fn from_sqlite(path: &Path, error: &Error) -> StoreError {
    let place = path.display().to_string();
    let detail = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
            super::busy::timed_out(path)
        }
        Some(ErrorCode::DiskFull) => StoreError::Full { place },
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => StoreError::Corrupt { place, detail },
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => StoreError::ReadOnly { place, detail },
        Some(ErrorCode::CannotOpen) if !is_writable(path) => StoreError::ReadOnly { place, detail },
        Some(ErrorCode::SystemIoFailure) if is_full(path) => StoreError::Full { place },
        _ => StoreError::Unavailable { place, detail },
    }
}

/// Names what went wrong with the file or directory at `path`.
pub(super) fn from_io(path: &Path, error: &io::Error) -> StoreError {
    let place = path.display().to_string();
    let detail = error.to_string();
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => StoreError::ReadOnly { place, detail },
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full { place },
        _ => StoreError::Unavailable { place, detail },
    }
}

/// Whether the directory of `path` lets us write. SQLite says only that it cannot open.
fn is_writable(path: &Path) -> bool {
    use rustix::fs::{Access, access};
    path.parent().is_none_or(|directory| access(directory, Access::WRITE_OK).is_ok())
}

/// Whether the disk has no space left. A full disk fails reads too, as plain I/O errors.
fn is_full(path: &Path) -> bool {
    path.parent()
        .is_some_and(|directory| rustix::fs::statvfs(directory).is_ok_and(|filesystem| filesystem.f_bavail == 0))
}
