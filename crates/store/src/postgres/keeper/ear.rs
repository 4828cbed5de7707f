//! A wait's own bell: a descriptor to watch, and whom the rings were for.

use std::{
    collections::BTreeSet,
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{Arc, Mutex, PoisonError},
};

use baton_core::ids::{AgentId, RoomId};
use rustix::event::{EventfdFlags, eventfd};

use crate::engine::{Bell, RungFor};

/// Rings that are told apart; after that they are for everyone.
const RINGS_MAX: usize = 32;

/// The text of a ring for everyone.
pub(super) const EVERYONE: &str = "*";

/// What the thread rings.
pub(crate) struct Ear {
    fd: OwnedFd,
    heard: Mutex<Vec<String>>,
}

impl Ear {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { fd: bell()?, heard: Mutex::default() })
    }

    pub(super) fn hear(&self, whom: &str) {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        if heard.len() < RINGS_MAX {
            heard.push(whom.to_owned());
        } else {
            EVERYONE.clone_into(&mut heard[0]);
        }
        drop(heard);
        ring(&self.fd);
    }
}

/// What a wait holds.
pub(crate) struct Listener(Arc<Ear>);

impl Listener {
    pub(super) fn new(ear: Arc<Ear>) -> Self {
        Self(ear)
    }
}

impl Bell for Listener {
    fn fd(&self) -> BorrowedFd<'_> {
        self.0.fd.as_fd()
    }

    fn clear(&mut self, agent: &AgentId) -> RungFor {
        quiet(&self.0.fd);
        let heard = std::mem::take(&mut *self.0.heard.lock().unwrap_or_else(PoisonError::into_inner));
        if heard.iter().any(|whom| whom == agent.as_str()) {
            RungFor::You
        } else if heard.is_empty() || heard.iter().any(|whom| whom == EVERYONE) {
            RungFor::Anyone
        } else {
            RungFor::Others
        }
    }

    fn clear_rooms(&mut self) -> Option<BTreeSet<RoomId>> {
        quiet(&self.0.fd);
        let heard = std::mem::take(&mut *self.0.heard.lock().unwrap_or_else(PoisonError::into_inner));
        // A ring for everyone stands for those that were too many, or that were missed. No room's id is a star.
        heard.iter().map(|room| room.parse().ok()).collect()
    }
}

/// A descriptor that can be rung.
pub(super) fn bell() -> io::Result<OwnedFd> {
    Ok(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?)
}

/// Makes it readable.
pub(super) fn ring(fd: &OwnedFd) {
    // The counter cannot overflow here, and a bell that rang already needs no second ring.
    let _ = rustix::io::write(fd, &1_u64.to_ne_bytes());
}

/// Makes it unreadable until it is rung again.
pub(super) fn quiet(fd: &OwnedFd) {
    let _ = rustix::io::read(fd, &mut [0; 8]);
}
