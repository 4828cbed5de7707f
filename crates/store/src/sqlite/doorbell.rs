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
use rustix::{
    fs::inotify,
    time::{Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime},
};

use super::{failure, open};
use crate::{
    StoreError,
    engine::{Bell, RungFor},
};

/// Bells a process keeps open; beyond that it starts over.
const OPEN_BELLS: usize = 256;

/// Time between two looks of an ear that cannot hear.
const UNHEARD_NANOS: i64 = 100_000_000;

/// Watches a process keeps for its next wait. Closing one costs milliseconds in the kernel, and a wait that was
/// answered would pay them before its caller hears of it.
const IDLE_WATCHES: usize = 16;

/// The bells of all rooms.
pub(super) struct Doorbells {
    directory: PathBuf,
    open: Mutex<HashMap<RoomId, File>>,
    idle: Arc<Mutex<Vec<Watch>>>,
}

/// An ear at one room's bell.
struct Watch {
    room: RoomId,
    ear: Ear,
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
        Ok(Hallway { ear: Ear::at(&self.directory)? })
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
        Ok(Watch { room: room.clone(), ear: Ear::at(&path)?, bell })
    }

    fn bell(&self, room: &RoomId) -> std::io::Result<File> {
        open::lock_file(&self.directory.join(room.as_str()))
    }
}

/// A descriptor that is readable when there may be something to hear.
enum Ear {
    /// It tells of each write.
    Inotify(OwnedFd),
    /// It goes off now and then, where the user has no inotify instance left: one program with many waits must not keep
    /// all others of its user from waiting.
    Timer(OwnedFd),
}

impl Ear {
    /// An ear for the file at `path`, or for all files in the directory there.
    fn at(path: &Path) -> Result<Self, StoreError> {
        let wrong = |error: rustix::io::Errno| failure::from_io(path, &error.into());
        let flags = inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK;
        let fd = match inotify::init(flags) {
            Err(rustix::io::Errno::MFILE) => return timer().map(Self::Timer).map_err(wrong),
            fd => fd.map_err(wrong)?,
        };
        inotify::add_watch(&fd, path, inotify::WatchFlags::MODIFY).map_err(wrong)?;
        Ok(Self::Inotify(fd))
    }

    fn fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Inotify(fd) | Self::Timer(fd) => fd.as_fd(),
        }
    }

    /// Forgets what it has told so far.
    fn forget(&self) {
        match self {
            Self::Inotify(fd) => {
                let mut buffer = [MaybeUninit::uninit(); 1024];
                let mut events = inotify::Reader::new(fd, &mut buffer);
                while events.next().is_ok() {}
            }
            // It does not block: a timer that did not go off has nothing to forget.
            Self::Timer(fd) => _ = rustix::io::read(fd, &mut [0_u8; 8]),
        }
    }
}

fn timer() -> rustix::io::Result<OwnedFd> {
    let fd = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK)?;
    let often = Timespec { tv_sec: 0, tv_nsec: UNHEARD_NANOS };
    timerfd_settime(&fd, TimerfdTimerFlags::empty(), &Itimerspec { it_interval: often, it_value: often })?;
    Ok(fd)
}

/// The rooms whose bells a descriptor has told of so far, unless it had too much to tell.
fn rooms_told(ear: &Ear) -> Option<BTreeSet<RoomId>> {
    let Ear::Inotify(fd) = ear else {
        ear.forget();
        return None;
    };
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
    ear: Ear,
}

impl Bell for Hallway {
    fn fd(&self) -> BorrowedFd<'_> {
        self.ear.fd()
    }

    fn clear(&mut self, _agent: &AgentId) -> RungFor {
        self.ear.forget();
        RungFor::Anyone
    }

    fn clear_rooms(&mut self) -> Option<BTreeSet<RoomId>> {
        rooms_told(&self.ear)
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
        self.watch().ear.forget();
    }
}

impl Bell for Listener {
    fn fd(&self) -> BorrowedFd<'_> {
        self.watch().ear.fd()
    }

    fn clear(&mut self, agent: &AgentId) -> RungFor {
        self.forget();
        if matches!(self.watch().ear, Ear::Timer(_)) {
            return RungFor::Anyone;
        }
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
        if idle.len() < IDLE_WATCHES && matches!(self.watch().ear, Ear::Inotify(_)) {
            idle.extend(self.watch.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use rustix::event::{PollFd, PollFlags, poll};

    use super::*;

    #[test]
    fn an_ear_without_inotify_goes_off_by_itself_and_forgets() {
        let ear = Ear::Timer(timer().unwrap());
        for _ in 0..2 {
            let mut fds = [PollFd::from_borrowed_fd(ear.fd(), PollFlags::IN)];
            assert_eq!(poll(&mut fds, None), Ok(1), "it waits for nobody");
            ear.forget();
            let mut fds = [PollFd::from_borrowed_fd(ear.fd(), PollFlags::IN)];
            assert_eq!(poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })), Ok(0), "until the next time");
        }
        assert_eq!(rooms_told(&ear), None, "which bells rang, it cannot tell");
    }
}
