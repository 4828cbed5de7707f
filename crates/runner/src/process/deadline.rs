//! The end of a claim, as the minder of its program waits for it.

use std::{
    io,
    os::fd::OwnedFd,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rustix::{
    io::{Errno, read},
    time::{Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime},
};

use super::BootTime;

/// A deadline that can be moved to a later moment while another thread waits for it. Its timer is one of the kernel's,
/// because a wait of the standard library does not count the time in which the machine sleeps.
#[derive(Clone, Debug)]
pub(super) struct Deadline(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    timer: OwnedFd,
    at: Mutex<BootTime>,
}

impl Deadline {
    pub(super) fn new(at: BootTime) -> io::Result<Self> {
        let timer = timerfd_create(TimerfdClockId::Boottime, TimerfdFlags::CLOEXEC)?;
        let deadline = Self(Arc::new(Inner { timer, at: Mutex::new(at) }));
        deadline.set(at)?;
        Ok(deadline)
    }

    /// Moves it, unless the new one is earlier.
    pub(super) fn extend(&self, at: BootTime) {
        let mut known = self.lock();
        if at > *known && self.set(at).is_ok() {
            *known = at;
        }
    }

    /// Waits until it has come.
    pub(super) fn wait(&self) {
        loop {
            match read(&self.0.timer, &mut [0_u8; 8]) {
                Ok(_) | Err(Errno::INTR) => {}
                // A timer that cannot be waited for must not keep a program alive.
                Err(_) => return,
            }
            if self.lock().has_come() {
                return;
            }
        }
    }

    fn set(&self, at: BootTime) -> io::Result<()> {
        let once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let timer = Itimerspec { it_interval: once, it_value: at.timespec() };
        timerfd_settime(&self.0.timer, TimerfdTimerFlags::ABSTIME, &timer)?;
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, BootTime> {
        self.0.at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
