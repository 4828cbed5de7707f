//! How long a job has been worked on: since its first claim, whoever had it since.
#![expect(clippy::disallowed_methods, reason = "a job may take a day and no longer")]

use std::time::{Duration, Instant};

use baton_app::Failure;

use crate::desk::{Claimed, Desk};

/// Measures the time that a job takes in all.
pub(crate) struct WorkClock {
    /// The time from the first claim to this one.
    before: Duration,
    began: Instant,
}

impl WorkClock {
    /// Begins to measure, from what earlier claims took.
    pub(crate) fn of(desk: &Desk, claimed: &Claimed) -> Result<Self, Failure> {
        let before = desk.worked_before(claimed.id())?;
        Ok(Self { before, began: Instant::now() })
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.before + self.began.elapsed()
    }
}
