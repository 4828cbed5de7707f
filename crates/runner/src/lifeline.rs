//! What ties a worker to its claim and to the runner: it is cut when either is over.

use std::{
    io,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use baton_app::Cancel;

use crate::executor::Halt;

/// How long a program whose job is not its own any more has to stop.
const GRACE: Duration = Duration::from_secs(5);

/// Why a worker is to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The job is not this runner's any more: canceled, requeued, or another's.
    Lost,
    /// The runner ends.
    Leaving,
}

/// Shared by a worker, the keeper of its claim, and the dispatcher.
#[derive(Debug)]
pub(crate) struct Lifeline {
    state: Mutex<State>,
    bell: Cancel,
}

#[derive(Debug, Default)]
struct State {
    cut: Option<Cut>,
    halt: Option<Halt>,
}

impl Lifeline {
    /// One that holds.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { state: Mutex::default(), bell: Cancel::new()? })
    }

    /// Rings when it is cut.
    pub(crate) const fn bell(&self) -> &Cancel {
        &self.bell
    }

    /// Why it was cut, if it was.
    pub(crate) fn cut(&self) -> Option<Cut> {
        self.lock().cut
    }

    /// Cuts it, and stops the program that runs. What was lost stays lost.
    pub(crate) fn sever(&self, why: Cut) {
        let mut state = self.lock();
        if state.cut != Some(Cut::Lost) {
            state.cut = Some(why);
        }
        if let Some(halt) = &state.halt {
            halt.stop(GRACE);
        }
        self.bell.ring();
    }

    /// Ties the program that runs now to it.
    pub(crate) fn attach(&self, halt: Halt) {
        let mut state = self.lock();
        if state.cut.is_some() {
            halt.stop(GRACE);
        }
        state.halt = Some(halt);
    }

    /// The program has ended.
    pub(crate) fn detach(&self) {
        self.lock().halt = None;
    }

    /// Waits for `time`, or until it is cut.
    pub(crate) fn pause(&self, time: Duration) -> Option<Cut> {
        self.bell.wait(time);
        self.cut()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
