//! Watching a room: waiting until something happens there, without asking again and again.

use std::time::Duration;

use baton_core::{
    code::ErrorCode,
    ids::{AgentId, RoomId},
};
use baton_store::engine::Bell;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::{App, Caller, Cancel, Failure};

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
}

impl Watch {
    /// Waits for a ring, for `cancel`, or for `most`.
    pub fn wait(&mut self, most: Duration, cancel: &Cancel) -> Result<Woken, Failure> {
        let timeout = Timespec { tv_sec: most.as_secs() as i64, tv_nsec: i64::from(most.subsec_nanos()) };
        let (rung, withdrawn) = {
            let bell = self.bell.fd();
            let mut fds = vec![PollFd::from_borrowed_fd(bell, PollFlags::IN)];
            fds.extend(cancel.fd().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
            match poll(&mut fds, Some(&timeout)) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => {
                    return Err(Failure::new(ErrorCode::Internal, format!("Waiting failed: {error}.")));
                }
            }
            (!fds[0].revents().is_empty(), fds.get(1).is_some_and(|fd| !fd.revents().is_empty()))
        };
        if withdrawn {
            return Ok(Woken::Withdrawn);
        }
        if !rung {
            return Ok(Woken::Elapsed);
        }
        self.bell.clear(&self.agent);
        Ok(Woken::Rung)
    }
}
