//! The moment up to which a claim is surely in force, and the program that must not outlive it.
//!
//! A claim is granted from some moment after the request was sent, so its end counted from the sending is early rather than
//! late. Each renewal moves it, and the minder of the program that runs is told.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{executor::Halt, process::BootTime};

/// The end of a claim, shared by all who renew it.
#[derive(Debug)]
pub(crate) struct ClaimDeadline(Mutex<State>);

#[derive(Debug)]
struct State {
    at: BootTime,
    program: Option<Halt>,
}

impl ClaimDeadline {
    pub(crate) const fn new(at: BootTime) -> Self {
        Self(Mutex::new(State { at, program: None }))
    }

    pub(crate) fn at(&self) -> BootTime {
        self.lock().at
    }

    /// Moves it, unless the new one is earlier, and tells the program that runs.
    pub(crate) fn extend(&self, at: BootTime) {
        let mut state = self.lock();
        if at <= state.at {
            return;
        }
        state.at = at;
        if let Some(program) = &state.program {
            program.extend(at);
        }
    }

    /// Ties a program to it that was just started.
    pub(crate) fn attach(&self, program: Halt) {
        let mut state = self.lock();
        // It may have moved since the program was told.
        program.extend(state.at);
        state.program = Some(program);
    }

    /// The program has ended.
    pub(crate) fn detach(&self) {
        self.lock().program = None;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
