//! Whose time it is. Everybody who shares a store must go by one clock, or a fast one would open takeovers early.
//!
//! A store on one machine goes by the machine's boot clock (`sqlite/clock.rs`), one on a server by the server's. A test
//! tells its own.
#![expect(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]

use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use baton_core::time::Timestamp;

/// Tells the time.
pub trait Clock: Send + Sync {
    /// The time now.
    fn now(&self) -> Timestamp;
}

/// Where a store has its time from.
#[derive(Clone)]
pub enum Time {
    /// From where it is kept.
    Own,
    /// From a test.
    Told(Arc<dyn Clock>),
}

/// The machine's wall clock, which may be set at any time. For what is compared with nothing in a store.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        // A clock set before 1970 reads as 1970; a clock past the year 292,000,000 as the end of time.
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_clock_is_in_this_century() {
        assert!(SystemClock.now() > Timestamp::from_millis(1_700_000_000_000));
    }
}
