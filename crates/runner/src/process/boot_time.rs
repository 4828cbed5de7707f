//! A moment on the clock that counts since boot, also while the machine sleeps.
//!
//! Claims end by the store's clock, which on one machine is the boot clock. A clock that stands still while the machine
//! sleeps would let a program outlive its claim. Runner and minder are in one time namespace, so both read the clock as the
//! kernel shows it.

use std::{ops::Add, time::Duration};

use rustix::time::{ClockId, Timespec, clock_gettime};

/// A moment, counted from the boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BootTime(Duration);

impl BootTime {
    /// This moment.
    pub fn now() -> Self {
        let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::Boottime);
        Self(Duration::new(u64::try_from(tv_sec).unwrap_or(0), u32::try_from(tv_nsec).unwrap_or(0)))
    }

    /// How long it is until then. Nothing, once it has come.
    pub fn left(self) -> Duration {
        self.0.saturating_sub(Self::now().0)
    }

    /// Whether it has come.
    pub fn has_come(self) -> bool {
        self.left().is_zero()
    }

    pub(super) const fn from_millis(millis: u64) -> Self {
        Self(Duration::from_millis(millis))
    }

    pub(super) const fn as_millis(self) -> u128 {
        self.0.as_millis()
    }

    pub(super) fn timespec(self) -> Timespec {
        let seconds = i64::try_from(self.0.as_secs()).unwrap_or(i64::MAX);
        Timespec { tv_sec: seconds, tv_nsec: i64::from(self.0.subsec_nanos()) }
    }
}

impl Add<Duration> for BootTime {
    type Output = Self;

    fn add(self, time: Duration) -> Self {
        Self(self.0.saturating_add(time))
    }
}
