//! The doorbell: a commit wakes those who wait in other processes, with no daemon and no polling.
//!
//! Each room has a small file. The committer writes a byte to it; a waiter watches it with inotify. Watching the
//! write-ahead log itself would miss wakes and cause storms. A waiter that crashed leaves nothing behind that
//! a committer would notice, and a ring nobody hears costs a microsecond.

use std::{
    collections::HashMap,
    fs::File,
    mem::MaybeUninit,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::fs::FileExt,
    },
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use baton_core::ids::RoomId;
use rustix::fs::inotify;

use super::{failure, open};
use crate::{StoreError, engine::Bell};

/// Bells a process keeps open; beyond that it starts over.
const OPEN_BELLS: usize = 256;

/// The bells of all rooms.
pub(super) struct Doorbells {
    directory: PathBuf,
    open: Mutex<HashMap<RoomId, File>>,
}

impl Doorbells {
    pub(super) fn new(data_directory: &Path) -> Result<Self, StoreError> {
        let directory = data_directory.join("bells");
        open::private_directory(&directory)?;
        Ok(Self { directory, open: Mutex::default() })
    }

    /// Wakes whoever listens to `room`. A bell that cannot be rung is not an error: waiters also look by themselves.
    pub(super) fn ring(&self, room: &RoomId) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bell) = open.get(room) {
            let _ = bell.write_all_at(b"!", 0);
            return;
        }
        let Ok(bell) = self.bell(room) else { return };
        let _ = bell.write_all_at(b"!", 0);
        if open.len() >= OPEN_BELLS {
            open.clear();
        }
        open.insert(room.clone(), bell);
    }

    pub(super) fn listen(&self, room: &RoomId) -> Result<Listener, StoreError> {
        let path = self.directory.join(room.as_str());
        let wrong = |error: std::io::Error| failure::from_io(&path, &error);
        self.bell(room).map_err(wrong)?;
        let flags = inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK;
        let watch = inotify::init(flags).map_err(|error| wrong(error.into()))?;
        inotify::add_watch(&watch, &path, inotify::WatchFlags::MODIFY).map_err(|error| wrong(error.into()))?;
        Ok(Listener { watch })
    }

    fn bell(&self, room: &RoomId) -> std::io::Result<File> {
        open::lock_file(&self.directory.join(room.as_str()))
    }
}

/// A watch on one room's bell.
pub(super) struct Listener {
    watch: OwnedFd,
}

impl Bell for Listener {
    fn fd(&self) -> BorrowedFd<'_> {
        self.watch.as_fd()
    }

    fn clear(&mut self) {
        let mut buffer = [MaybeUninit::uninit(); 1024];
        let mut events = inotify::Reader::new(&self.watch, &mut buffer);
        while events.next().is_ok() {}
    }
}
