//! Watching a room: waiting until something happens there, without asking again and again.
#![expect(clippy::disallowed_methods, reason = "this module is a wait: it measures its own budget")]

use std::{
    collections::BTreeSet,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    time::{Duration, Instant},
};

use baton_core::{
    code::ErrorCode,
    ids::{AgentId, RoomId},
    limits,
};
use baton_store::engine::Bell;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::{App, Caller, Cancel, Failure, presence::PresenceKeeper};

/// An ear at a room's door. It hears from the moment it is made: make it, then look, then wait.
pub struct Watch {
    bell: Box<dyn Bell>,
    agent: AgentId,
}

/// Why a watch returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// Something may have happened.
    Rung,
    /// Nobody wants to know any more.
    Withdrawn,
    /// The time is over.
    Elapsed,
}

impl App {
    /// Begins to listen to `room`.
    pub fn watch(&self, caller: &Caller, room: &RoomId) -> Result<Watch, Failure> {
        Ok(Watch { bell: self.store.listen(room)?, agent: caller.actor().agent_id })
    }

    /// Begins to listen to every room.
    pub fn watch_everywhere(&self, caller: &Caller) -> Result<Watch, Failure> {
        Ok(Watch { bell: self.store.listen_everywhere()?, agent: caller.actor().agent_id })
    }
}

/// How often a wait looks without having been rung for.
const SAFETY: Duration = Duration::from_secs(5);

/// How long a call may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patience(Duration);

impl Patience {
    /// As long as a caller asks for, within the bound of all waits.
    pub(crate) fn of(max_wait_ms: Option<u64>) -> Result<Self, Failure> {
        let asked = max_wait_ms.unwrap_or(0);
        if asked > limits::WAIT_MAX.as_millis() {
            let message = format!("max_wait_ms must be at most {}.", limits::WAIT_MAX.as_millis());
            return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", "max_wait_ms"));
        }
        Ok(Self(Duration::from_millis(asked)))
    }

    /// As long as a listener needs that no caller waits for.
    pub(crate) const fn for_long(most: Duration) -> Self {
        Self(most)
    }
}

/// What a look comes to.
pub(crate) enum Looked<T> {
    /// An answer.
    Found(T),
    /// Nothing yet. What becomes readable with the end of one of these processes is looked for at once.
    NotYet(Vec<OwnedFd>),
}

impl App {
    /// Looks at a room until there is an answer, or patience ends. `look` is told how much time is left.
    pub(crate) fn wait_for<T>(
        &self,
        caller: &Caller,
        room: &RoomId,
        patience: Patience,
        mut look: impl FnMut(Duration) -> Result<Option<T>, Failure>,
    ) -> Result<Option<T>, Failure> {
        let look = |left| Ok(look(left)?.map_or(Looked::NotYet(Vec::new()), Looked::Found));
        self.wait_for_ends(caller, room, patience, look)
    }

    /// The same, which hears of the ends of processes, too.
    pub(crate) fn wait_for_ends<T>(
        &self,
        caller: &Caller,
        room: &RoomId,
        patience: Patience,
        mut look: impl FnMut(Duration) -> Result<Looked<T>, Failure>,
    ) -> Result<Option<T>, Failure> {
        if patience.0.is_zero() {
            return Ok(match look(Duration::ZERO)? {
                Looked::Found(answer) => Some(answer),
                Looked::NotYet(_) => None,
            });
        }
        let until = Instant::now() + patience.0;
        // The bell is up before the look, so what is committed after the look will ring it.
        let mut watch = self.watch(caller, room)?;
        let policy = self.store.read::<_, Failure>(|tx| Ok(self.room(tx, room)?.policy))?;
        let mut keeper = PresenceKeeper::begin(&policy);
        loop {
            keeper.keep(self, caller, room)?;
            let left = until.saturating_duration_since(Instant::now());
            let ends = match look(left)? {
                Looked::Found(answer) => return Ok(Some(answer)),
                Looked::NotYet(ends) => ends,
            };
            if left.is_zero() {
                return Ok(None);
            }
            let ends: Vec<BorrowedFd<'_>> = ends.iter().map(AsFd::as_fd).collect();
            let most = left.min(SAFETY).min(keeper.left());
            if watch.wait_also(most, &caller.cancel, &ends)? == Woken::Withdrawn {
                return Err(Failure::new(ErrorCode::Canceled, "The wait was withdrawn."));
            }
        }
    }
}

impl Watch {
    /// Becomes readable when it is rung, for who watches other things beside it.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.bell.fd()
    }

    /// Forgets the rings so far, and tells the rooms that rang. `None` when it cannot be told: any room may have.
    pub fn clear_rooms(&mut self) -> Option<BTreeSet<RoomId>> {
        self.bell.clear_rooms()
    }

    /// Waits for a ring, for `cancel`, or for `most`.
    pub fn wait(&mut self, most: Duration, cancel: &Cancel) -> Result<Woken, Failure> {
        self.wait_also(most, cancel, &[])
    }

    /// The same, or until a process behind one of `ends` has ended, which counts as a ring.
    pub fn wait_also(&mut self, most: Duration, cancel: &Cancel, ends: &[BorrowedFd<'_>]) -> Result<Woken, Failure> {
        let timeout = Timespec { tv_sec: most.as_secs() as i64, tv_nsec: i64::from(most.subsec_nanos()) };
        let (rung, withdrawn, ended) = {
            let bell = self.bell.fd();
            let mut fds = vec![PollFd::from_borrowed_fd(bell, PollFlags::IN)];
            fds.extend(cancel.fd().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
            let others = fds.len();
            fds.extend(ends.iter().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)));
            match poll(&mut fds, Some(&timeout)) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => {
                    return Err(Failure::new(ErrorCode::Internal, format!("Waiting failed: {error}.")));
                }
            }
            let stirred = |fd: &PollFd<'_>| !fd.revents().is_empty();
            (stirred(&fds[0]), fds[1..others].iter().any(stirred), fds[others..].iter().any(stirred))
        };
        if withdrawn {
            return Ok(Woken::Withdrawn);
        }
        if !rung {
            return Ok(if ended { Woken::Rung } else { Woken::Elapsed });
        }
        self.bell.clear(&self.agent);
        Ok(Woken::Rung)
    }
}
