//! What else is going on on a connection, and so whether a write may run where it arrived.
//!
//! Crossing to another thread and back costs as much as a small write, and more on a busy machine. But a write may
//! have to wait for another process to finish its own, and a connection that sits in one answers nothing. So a write
//! stays only while nobody else on this connection could be kept waiting by it, no wait either, and while writes are
//! quick: after one that was not, they cross over until one is again.

use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::Duration,
};

use tokio::time::Instant;

/// How long a write takes at most that did not have to wait for anybody.
const QUICK: Duration = Duration::from_millis(2);

/// The calls of one connection.
#[derive(Default)]
pub(crate) struct Traffic {
    under_way: AtomicUsize,
    slow: AtomicBool,
}

impl Traffic {
    /// Counts a call, until what is returned is dropped.
    pub(crate) fn enter(&self) -> UnderWay<'_> {
        self.under_way.fetch_add(1, Ordering::Relaxed);
        UnderWay(self)
    }

    /// Whether the one call under way may keep the connection to itself for a write.
    pub(crate) fn is_clear(&self) -> bool {
        self.under_way.load(Ordering::Relaxed) == 1 && !self.slow.load(Ordering::Relaxed)
    }

    /// Runs a write and remembers whether it was quick.
    pub(crate) fn timed<T>(&self, write: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let answer = write();
        self.remember(begun.elapsed());
        answer
    }

    fn remember(&self, took: Duration) {
        self.slow.store(took > QUICK, Ordering::Relaxed);
    }
}

/// A call that is under way.
pub(crate) struct UnderWay<'a>(&'a Traffic);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_stays_only_when_it_is_alone_and_the_last_one_was_quick() {
        let traffic = Traffic::default();
        let write = traffic.enter();
        assert!(traffic.is_clear());
        let wait = traffic.enter();
        assert!(!traffic.is_clear(), "it could keep the wait from being answered");
        drop(wait);
        assert!(traffic.is_clear());

        traffic.remember(QUICK + Duration::from_micros(1));
        assert!(!traffic.is_clear(), "somebody else is writing");
        traffic.remember(QUICK);
        assert!(traffic.is_clear());
        drop(write);
    }
}
