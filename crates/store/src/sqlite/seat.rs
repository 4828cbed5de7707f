//! One listener per member: a locked file that the kernel unlocks when its process ends.

use std::{
    fs::{self, File},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use baton_core::ids::{AgentId, RoomId};

use super::{failure, open};
use crate::{StoreError, engine::Seat};

/// The seats of all members.
pub(super) struct Seats {
    directory: PathBuf,
}

impl Seats {
    pub(super) fn new(data_directory: &Path) -> Result<Self, StoreError> {
        let directory = data_directory.join("listeners");
        open::private_directory(&directory)?;
        Ok(Self { directory })
    }

    /// Takes the seat, or nothing while someone sits there.
    pub(super) fn take(&self, room: &RoomId, agent: &AgentId) -> Result<Option<TakenSeat>, StoreError> {
        // An agent id has no slash, so the name stays within the directory.
        let path = self.directory.join(format!("{room}.{agent}"));
        let wrong = |error: std::io::Error| failure::from_io(&path, &error);
        loop {
            let file = open::lock_file(&path).map_err(wrong)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(fs::TryLockError::WouldBlock) => return Ok(None),
                Err(fs::TryLockError::Error(error)) => return Err(wrong(error)),
            }
            // The last sitter removes the file; a lock on a removed one would guard nothing.
            let locked = file.metadata().map_err(wrong)?.ino();
            if fs::metadata(&path).is_ok_and(|current| current.ino() == locked) {
                return Ok(Some(TakenSeat { path, _file: file }));
            }
        }
    }
}

/// A seat that is taken until this is dropped.
pub(super) struct TakenSeat {
    path: PathBuf,
    _file: File,
}

impl Seat for TakenSeat {}

impl Drop for TakenSeat {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}
