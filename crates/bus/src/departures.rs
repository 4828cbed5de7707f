//! Processes whose connection ended: are they gone, or did they only hang up?
//!
//! Who hung up may come back, and nothing it owes is touched. Who is gone will not, and what it owes ends in an error at
//! once, not when somebody happens to look. The kernel closes a killed process's connections before anybody can see that it
//! is gone, so the end of the process itself is waited for: by one thread for all of them, which is there while there is
//! somebody to watch.

use std::{
    collections::{BTreeSet, HashMap},
    os::fd::OwnedFd,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
};

use baton_app::{App, liveness::Probe};
use baton_core::{ids::RoomId, process::ProcessIdentity};
use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};

use crate::blocking;

/// Most processes that are watched at a time. Of others, what they owe ends when somebody waits for it.
const WATCHED_MAX: usize = 1_024;

/// The processes that are watched.
pub(crate) struct Departures {
    app: Arc<App>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    watched: HashMap<ProcessIdentity, Watched>,
    /// Wakes the thread, while there is one.
    bell: Option<Arc<OwnedFd>>,
    is_over: bool,
}

/// A process, and where it may owe something.
struct Watched {
    /// Readable when the process has ended.
    handle: Arc<OwnedFd>,
    rooms: BTreeSet<RoomId>,
}

impl Departures {
    pub(crate) fn new(app: Arc<App>) -> Arc<Self> {
        Arc::new(Self { app, state: Mutex::default() })
    }

    /// Sees to it that what a process owes in these rooms ends with the process. May look at the store, and so wait for it.
    pub(crate) fn note(self: &Arc<Self>, process: ProcessIdentity, rooms: BTreeSet<RoomId>) {
        // One that cannot be watched is gone, or nobody can tell from here; the sweep finds out which.
        let Some(handle) = Probe::new().watch(&process) else { return self.sweep(&rooms) };
        let mut state = self.lock();
        // When it began is rounded, and may be told differently by two looks at one process.
        let known = state.watched.iter_mut().find(|(known, _)| known.same_process(&process));
        if let Some((_, known)) = known {
            known.rooms.extend(rooms);
            return;
        }
        if state.is_over || state.watched.len() >= WATCHED_MAX {
            return;
        }
        state.watched.insert(process, Watched { handle: Arc::new(handle), rooms });
        match &state.bell {
            Some(bell) => ring(bell),
            None => state.bell = self.start(),
        }
    }

    /// Watches nobody any more.
    pub(crate) fn end(&self) {
        let mut state = self.lock();
        state.is_over = true;
        state.bell.iter().for_each(|bell| ring(bell));
    }

    /// Starts the thread. Without one, what is owed ends when somebody waits for it.
    fn start(self: &Arc<Self>) -> Option<Arc<OwnedFd>> {
        let bell = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).ok()?);
        let (departures, heard) = (Arc::clone(self), Arc::clone(&bell));
        let started =
            thread::Builder::new().name("baton-departures".to_owned()).spawn(move || departures.watch(&heard));
        started.is_ok().then_some(bell)
    }

    fn watch(&self, bell: &OwnedFd) {
        while let Some(watched) = self.all_watched() {
            let mut fds = vec![PollFd::new(bell, PollFlags::IN)];
            fds.extend(watched.iter().map(|(_, handle)| PollFd::new(handle, PollFlags::IN)));
            // Interrupted or not, everybody is looked at.
            let _ = poll(&mut fds, None);
            let _ = rustix::io::read(bell, &mut [0_u8; 8]);
            let ended = fds[1..].iter().zip(&watched).filter(|(fd, _)| !fd.revents().is_empty());
            for (_, (process, _)) in ended {
                let rooms = self.lock().watched.remove(process).map(|watched| watched.rooms);
                self.sweep(&rooms.unwrap_or_default());
            }
        }
    }

    /// Everybody who is watched, or nothing when the thread is to end.
    fn all_watched(&self) -> Option<Vec<(ProcessIdentity, Arc<OwnedFd>)>> {
        let mut state = self.lock();
        if state.is_over || state.watched.is_empty() {
            state.bell = None;
            return None;
        }
        Some(state.watched.iter().map(|(process, watched)| (process.clone(), Arc::clone(&watched.handle))).collect())
    }

    fn sweep(&self, rooms: &BTreeSet<RoomId>) {
        for room in rooms {
            // One that cannot be swept now is swept by whoever waits there next.
            let _ = blocking::inline(|| self.app.sweep_gone(room));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn ring(bell: &OwnedFd) {
    // A bell that rang already needs no second ring.
    let _ = rustix::io::write(bell, &1_u64.to_ne_bytes());
}
