//! Time that passes when a test says so.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use baton_app::clock::Clock;
use baton_core::time::{Timestamp, Ttl};

/// A clock that stands still until it is moved. Clones show the same time.
#[derive(Clone, Debug)]
pub struct ManualClock(Arc<AtomicI64>);

impl ManualClock {
    /// A clock that shows the first moment of 2026.
    pub fn new() -> Self {
        Self(Arc::new(AtomicI64::new(1_767_225_600_000)))
    }

    /// Lets time pass.
    pub fn advance(&self, by: Ttl) {
        self.0.fetch_add(by.as_millis() as i64, Ordering::SeqCst);
    }
}

impl Default for ManualClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}
