//! Watches the processes of all agents, so that everybody hears of a death when it happens.
//!
//! Debts of a dead agent, the result of an action or the end of a turn, end in an error at once, and its death is told,
//! whether the agent came through this server, through `baton mcp` or from a shell. One thread waits for all of them: it
//! listens to every room, reads the members of the rooms that changed, and holds a handle of each process.
//!
//! Every bound and failure here only delays: what could not be watched or swept ends with the next command in its room.

use std::{
    collections::{BTreeSet, HashMap},
    os::fd::OwnedFd,
    sync::Arc,
    thread,
    time::Duration,
};

use baton_app::{App, Failure, liveness::Probe, watch::Watch};
use baton_core::{ids::RoomId, process::ProcessIdentity};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

use crate::{blocking, feed::listener};

/// Most processes that are watched at a time: each is a descriptor.
const WATCHED_MAX: usize = 1_024;
/// Most rooms that are read at once.
const ROOMS_MAX: u32 = 1_024;
/// Shortest time between two looks at the store, so that a busy store is not looked at after each commit.
const REST: Duration = Duration::from_millis(100);
/// How often all rooms are looked at without a ring, for a ring that was missed.
const SAFETY: Duration = Duration::from_secs(30);
/// Time between two looks while nothing can be heard, or after something failed.
const RETRY: Duration = Duration::from_secs(1);

/// The thread, from outside.
pub(crate) struct Departures {
    /// Ends the thread, where one could be started.
    stop: Option<Arc<OwnedFd>>,
}

impl Departures {
    /// Begins to watch. Without a descriptor or a thread to spare, what is owed ends with the next command in its room.
    pub(crate) fn new(app: Arc<App>) -> Self {
        let stop = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).ok().map(Arc::new);
        let started = stop.clone().and_then(|stop| {
            let run = move || {
                // A panic is a defect of a use case, which says so; the thread has nobody to tell.
                let _ = blocking::inline(|| Watcher::new(app, stop).run());
            };
            thread::Builder::new().name("baton-departures".to_owned()).spawn(run).ok()
        });
        Self { stop: stop.filter(|_| started.is_some()) }
    }

    /// Watches nobody any more.
    pub(crate) fn end(&self) {
        if let Some(stop) = &self.stop {
            // A bell that rang already needs no second ring.
            let _ = rustix::io::write(stop, &1_u64.to_ne_bytes());
        }
    }
}

/// The rooms that are to be looked at.
enum Rooms {
    All,
    These(BTreeSet<RoomId>),
}

/// A process of an agent, and its rooms.
struct Watched {
    /// Readable when the process has ended.
    handle: OwnedFd,
    rooms: BTreeSet<RoomId>,
}

/// The thread.
struct Watcher {
    app: Arc<App>,
    stop: Arc<OwnedFd>,
    ear: Option<Watch>,
    changed: Rooms,
    watched: HashMap<ProcessIdentity, Watched>,
}

/// The thread's reason for waking up.
struct Woken {
    stopped: bool,
    rung: bool,
    ended: Vec<ProcessIdentity>,
    /// Nothing happened for as long as it waited.
    nothing: bool,
}

impl Watcher {
    fn new(app: Arc<App>, stop: Arc<OwnedFd>) -> Self {
        Self { app, stop, ear: None, changed: Rooms::All, watched: HashMap::new() }
    }

    fn run(mut self) -> Result<(), Failure> {
        loop {
            // The ear is up before the look, so a commit after the look rings.
            if self.ear.is_none() {
                self.ear = listener().and_then(|listener| self.app.watch_everywhere(&listener)).ok();
            }
            let failed = self.look();
            if !self.rest() {
                return Ok(());
            }
            let patience = if failed || self.ear.is_none() { RETRY } else { SAFETY };
            let woken = self.wait(patience, true);
            if woken.stopped {
                return Ok(());
            }
            self.bury(woken.ended);
            if woken.rung {
                let rooms = self.ear.as_mut().and_then(Watch::clear_rooms);
                self.note(rooms);
            }
            if woken.nothing {
                self.changed = Rooms::All;
            }
        }
    }

    /// Lets some time pass in which only deaths count. Tells whether to go on.
    fn rest(&mut self) -> bool {
        let woken = self.wait(REST, false);
        self.bury(woken.ended);
        !woken.stopped
    }

    fn note(&mut self, rooms: Option<BTreeSet<RoomId>>) {
        match (&mut self.changed, rooms) {
            (Rooms::These(known), Some(rooms)) => known.extend(rooms),
            (_, None) => self.changed = Rooms::All,
            (Rooms::All, Some(_)) => {}
        }
    }

    /// Reads the members of rooms that may have changed. Tells whether something could not be read.
    fn look(&mut self) -> bool {
        let changed = std::mem::replace(&mut self.changed, Rooms::These(BTreeSet::new()));
        let rooms = match changed {
            Rooms::These(rooms) => Ok(rooms),
            Rooms::All => self.all_rooms(),
        };
        let Ok(rooms) = rooms else {
            self.changed = Rooms::All;
            return true;
        };
        let failed: BTreeSet<RoomId> = rooms.into_iter().filter(|room| self.look_at(room).is_err()).collect();
        let any = !failed.is_empty();
        self.note(Some(failed));
        any
    }

    /// The rooms with agents, and those that had some when they were last looked at.
    fn all_rooms(&self) -> Result<BTreeSet<RoomId>, Failure> {
        let known = self.watched.values().flat_map(|watched| watched.rooms.iter().cloned());
        Ok(blocking::inline(|| self.app.rooms_watched(ROOMS_MAX))?.into_iter().chain(known).collect())
    }

    /// Watches exactly the processes of `room`, and ends what those owe that are gone already.
    fn look_at(&mut self, room: &RoomId) -> Result<(), Failure> {
        let owing = match blocking::inline(|| self.app.processes_watched(room)) {
            Err(failure) if failure.code == baton_core::code::ErrorCode::UnknownRoom => Vec::new(),
            owing => owing?,
        };
        for watched in self.watched.values_mut() {
            watched.rooms.remove(room);
        }
        let mut unseen = false;
        for process in owing {
            // When a process began is rounded, and may be told differently by two looks at it.
            if let Some((_, known)) = self.watched.iter_mut().find(|(known, _)| known.same_process(&process)) {
                known.rooms.insert(room.clone());
                continue;
            }
            match Probe::new().watch(&process) {
                Some(handle) if self.watched.len() < WATCHED_MAX => {
                    self.watched.insert(process, Watched { handle, rooms: BTreeSet::from([room.clone()]) });
                }
                Some(_) => {}
                // It is gone, or cannot be seen from here; the sweep finds out which.
                None => unseen = true,
            }
        }
        self.watched.retain(|_, watched| !watched.rooms.is_empty());
        // Jobs may have been queued there while nobody was there to do them.
        blocking::inline(|| {
            self.app.want_runner(room);
            Ok(())
        })?;
        if unseen { self.sweep(room) } else { Ok(()) }
    }

    /// Ends what processes owe that have ended.
    fn bury(&mut self, ended: Vec<ProcessIdentity>) {
        for process in ended {
            let rooms = self.watched.remove(&process).map(|watched| watched.rooms).unwrap_or_default();
            let failed = rooms.into_iter().filter(|room| self.sweep(room).is_err()).collect();
            // Looked at again, when the process is not found.
            self.note(Some(failed));
        }
    }

    fn sweep(&self, room: &RoomId) -> Result<(), Failure> {
        blocking::inline(|| self.app.sweep_gone(room))
    }

    /// Waits for a death, for the end, and for a ring if that is wanted.
    fn wait(&self, patience: Duration, for_rings: bool) -> Woken {
        let timeout = Timespec { tv_sec: patience.as_secs() as i64, tv_nsec: i64::from(patience.subsec_nanos()) };
        let mut fds = vec![PollFd::new(&*self.stop, PollFlags::IN)];
        let processes: Vec<&ProcessIdentity> = self.watched.keys().collect();
        fds.extend(self.watched.values().map(|watched| PollFd::new(&watched.handle, PollFlags::IN)));
        let ear = self.ear.as_ref().filter(|_| for_rings);
        fds.extend(ear.map(|ear| PollFd::from_borrowed_fd(ear.fd(), PollFlags::IN)));
        // Interrupted or not, everything is looked at.
        let _ = poll(&mut fds, Some(&timeout));
        let told: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
        let (stopped, told) = told.split_first().map_or((true, &[][..]), |(stopped, rest)| (*stopped, rest));
        let ended = processes.iter().zip(told).filter(|(_, ended)| **ended).map(|(process, _)| (*process).clone());
        let ended: Vec<ProcessIdentity> = ended.collect();
        let rung = told.get(processes.len()).copied().unwrap_or(false);
        Woken { stopped, rung, nothing: !stopped && !rung && ended.is_empty(), ended }
    }
}
