//! How many browsers run at once. Each is several processes, and a test on a crowded machine says little.

use std::sync::{Condvar, Mutex, PoisonError};

const SEATS: usize = 2;

static TAKEN: Mutex<usize> = Mutex::new(0);
static LEFT: Condvar = Condvar::new();

/// Leave to run a browser, until it is dropped.
pub(super) struct Seat(());

impl Seat {
    /// Waits for one.
    pub(super) fn take() -> Self {
        let taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken = LEFT.wait_while(taken, |taken| *taken >= SEATS).unwrap_or_else(PoisonError::into_inner);
        *taken += 1;
        Self(())
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        *TAKEN.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        LEFT.notify_one();
    }
}
