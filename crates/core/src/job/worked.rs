//! Since when a job is worked on: the limit of a job counts in all, not per claim.

use super::Event;
use crate::{
    event::{self, Recorded},
    time::Timestamp,
};

/// Finds the first claim of a job since it was created or somebody had it done again. Events are shown the newest first; a
/// runner that gives a job back, or is lost, begins nothing anew.
#[derive(Clone, Copy, Debug, Default)]
pub struct WorkedSince {
    first: Option<Timestamp>,
    is_over: bool,
}

impl WorkedSince {
    /// Takes an event that is older than all before.
    pub fn look_back(&mut self, recorded: &Recorded) {
        let event::Event::Job(event) = &recorded.event else { return };
        match event {
            Event::Claimed(_) | Event::Reclaimed(_) if !self.is_over => self.first = Some(recorded.at),
            Event::Requeued(requeued) => self.is_over |= !requeued.given_back,
            _ => {}
        }
    }

    /// Whether older events change nothing any more.
    pub const fn is_found(&self) -> bool {
        self.is_over
    }

    /// When the first claim was made, if there was one.
    pub const fn first_claim(&self) -> Option<Timestamp> {
        self.first
    }
}
