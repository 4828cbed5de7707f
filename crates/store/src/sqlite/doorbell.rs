//! The doorbell: a commit wakes those who wait in other processes, with no daemon and no polling.
//!
//! Each room has a small file. The committer writes to it whom it rings for; a waiter watches it with inotify. Watching the
//! write-ahead log itself would miss wakes and cause storms. A waiter that crashed leaves nothing behind that
//! a committer would notice, and a ring nobody hears costs a microsecond.

use std::{
    collections::{BTreeSet, HashMap},
    fs::File,
    hash::{DefaultHasher, Hash, Hasher},
    mem::MaybeUninit,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::fs::FileExt,
    },
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use baton_core::{
    event::Concern,
    ids::{AgentId, RoomId},
};
use rustix::fs::inotify;

use super::{failure, open};
use crate::{
    StoreError,
    engine::{Bell, RungFor},
};

/// Bells a process keeps open; beyond that it starts over.
const OPEN_BELLS: usize = 256;

/// Watches a process keeps for its next wait. Closing one costs milliseconds in the kernel, and a wait that was
/// answered would pay them before its caller hears of it.
const IDLE_WATCHES: usize = 16;

/// The bells of all rooms.
pub(super) struct Doorbells {
    directory: PathBuf,
    open: Mutex<HashMap<RoomId, File>>,
    idle: Arc<Mutex<Vec<Watch>>>,
}

/// An inotify descriptor that watches one room's bell.
struct Watch {
    room: RoomId,
    fd: OwnedFd,
    bell: File,
}

/// What a bell says: whom it rings for. Only a hint about who goes first, so a digest of the name is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ring(u64);

impl Ring {
    const EVERYONE: Self = Self(0);
    const NOBODY: Self = Self(1);

    pub(super) fn of(concern: Concern<'_>) -> Self {
        match concern {
            Concern::Everyone => Self::EVERYONE,
            Concern::One(agent) => Self::digest(agent),
            Concern::Nobody => Self::NOBODY,
        }
    }

    /// Both in one ring.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (one, Self::NOBODY) | (Self::NOBODY, one) => one,
            (one, same) if one == same => one,
            _ => Self::EVERYONE,
        }
    }

    fn digest(agent: &AgentId) -> Self {
        let mut hasher = DefaultHasher::new();
        agent.as_str().hash(&mut hasher);
        Self(hasher.finish().max(2))
    }
}

impl Doorbells {
    pub(super) fn new(data_directory: &Path) -> Result<Self, StoreError> {
        let directory = data_directory.join("bells");
        open::private_directory(&directory)?;
        Ok(Self { directory, open: Mutex::default(), idle: Arc::default() })
    }

    /// Wakes whoever listens to `room`. A bell that cannot be rung is not an error: waiters also look by themselves.
    pub(super) fn ring(&self, room: &RoomId, ring: Ring) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bell) = open.get(room) {
            let _ = bell.write_all_at(&ring.0.to_le_bytes(), 0);
            return;
        }
        let Ok(bell) = self.bell(room) else { return };
        let _ = bell.write_all_at(&ring.0.to_le_bytes(), 0);
        if open.len() >= OPEN_BELLS {
            open.clear();
        }
        open.insert(room.clone(), bell);
    }

    pub(super) fn listen(&self, room: &RoomId) -> Result<Listener, StoreError> {
        let watch = match self.idle_watch(room) {
            Some(watch) => watch,
            None => self.watch(room)?,
        };
        let listener = Listener { watch: Some(watch), idle: self.idle.clone() };
        listener.forget();
        Ok(listener)
    }

    /// An ear in the hallway: it hears every bell, and whom for does not matter there.
    pub(super) fn listen_everywhere(&self) -> Result<Hallway, StoreError> {
        Ok(Hallway { fd: watch_modified(&self.directory)? })
    }

    fn idle_watch(&self, room: &RoomId) -> Option<Watch> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let place = idle.iter().position(|watch| watch.room == *room)?;
        Some(idle.swap_remove(place))
    }

    fn watch(&self, room: &RoomId) -> Result<Watch, StoreError> {
        let path = self.directory.join(room.as_str());
        let wrong = |error: std::io::Error| failure::from_io(&path, &error);
        let bell = self.bell(room).map_err(wrong)?;
        Ok(Watch { room: room.clone(), fd: watch_modified(&path)?, bell })
    }

    fn bell(&self, room: &RoomId) -> std::io::Result<File> {
        open::lock_file(&self.directory.join(room.as_str()))
    }
}

/// A descriptor that tells when the file at `path`, or one in the directory there, is written to.
fn watch_modified(path: &Path) -> Result<OwnedFd, StoreError> {
    let wrong = |error: rustix::io::Errno| failure::from_io(path, &error.into());
    let flags = inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK;
    let fd = inotify::init(flags).map_err(wrong)?;
    inotify::add_watch(&fd, path, inotify::WatchFlags::MODIFY).map_err(wrong)?;
    Ok(fd)
}

/// Forgets what a descriptor has told so far.
fn forget(fd: &OwnedFd) {
    let mut buffer = [MaybeUninit::uninit(); 1024];
    let mut events = inotify::Reader::new(fd, &mut buffer);
    while events.next().is_ok() {}
}

/// The rooms whose bells a descriptor has told of so far, unless it had too much to tell.
fn rooms_told(fd: &OwnedFd) -> Option<BTreeSet<RoomId>> {
    let mut buffer = [MaybeUninit::uninit(); 4096];
    let mut events = inotify::Reader::new(fd, &mut buffer);
    let mut rooms = Some(BTreeSet::new());
    while let Ok(event) = events.next() {
        let name = event.file_name().and_then(|name| name.to_str().ok());
        match name.and_then(|name| name.parse().ok()) {
            Some(room) => _ = rooms.as_mut().map(|rooms| rooms.insert(room)),
            // Without a name it is the queue that overflowed.
            None => rooms = None,
        }
    }
    rooms
}

/// Somebody who listens to all rooms.
pub(super) struct Hallway {
    fd: OwnedFd,
}

impl Bell for Hallway {
    fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    fn clear(&mut self, _agent: &AgentId) -> RungFor {
        forget(&self.fd);
        RungFor::Anyone
    }

    fn clear_rooms(&mut self) -> Option<BTreeSet<RoomId>> {
        rooms_told(&self.fd)
    }
}

/// Somebody who listens to a room.
pub(super) struct Listener {
    /// There until the listener is dropped.
    watch: Option<Watch>,
    idle: Arc<Mutex<Vec<Watch>>>,
}

impl Listener {
    fn watch(&self) -> &Watch {
        self.watch.as_ref().expect("a listener has its watch until it is dropped")
    }

    fn forget(&self) {
        forget(&self.watch().fd);
    }
}

impl Bell for Listener {
    fn fd(&self) -> BorrowedFd<'_> {
        self.watch().fd.as_fd()
    }

    fn clear(&mut self, agent: &AgentId) -> RungFor {
        self.forget();
        let mut said = [0; 8];
        match self.watch().bell.read_exact_at(&mut said, 0) {
            Ok(()) if Ring(u64::from_le_bytes(said)) == Ring::digest(agent) => RungFor::You,
            Ok(()) if Ring(u64::from_le_bytes(said)) == Ring::EVERYONE => RungFor::Anyone,
            Ok(()) => RungFor::Others,
            Err(_) => RungFor::Anyone,
        }
    }

    fn clear_rooms(&mut self) -> Option<BTreeSet<RoomId>> {
        self.forget();
        Some(BTreeSet::from([self.watch().room.clone()]))
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_WATCHES {
            idle.extend(self.watch.take());
        }
    }
}
