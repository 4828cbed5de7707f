//! What ties a worker to its claim and to the runner: it is cut when either is over.

use std::{
    io,
    os::fd::BorrowedFd,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use baton_app::Cancel;
use baton_core::ids::Seq;

use crate::executor::Halt;

/// How long a program whose job is not its own any more has to stop.
const GRACE: Duration = Duration::from_secs(5);
/// How long a program has that a person interrupted: with all that is around it, it is gone within a second.
const AT_ONCE: Duration = Duration::from_millis(500);

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
    /// Whether what is started next is stopped at once.
    interrupted: bool,
    /// The message because of which it is.
    because_of: Option<Seq>,
    /// The newest interrupting message that a turn was begun with.
    heard: Seq,
    /// Who else wants to hear when it is cut, or somebody interrupts.
    ears: Vec<Cancel>,
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
        state.ears.iter().for_each(Cancel::ring);
    }

    /// Has another bell rung too when it is cut: one that also rings for other reasons.
    pub(crate) fn also_ring(&self, ear: Cancel) {
        let mut state = self.lock();
        if state.cut.is_some() {
            ear.ring();
        }
        state.ears.push(ear);
    }

    /// Says that a program is about to be started, which nobody has interrupted yet.
    pub(crate) fn expect(&self) {
        let mut state = self.lock();
        (state.interrupted, state.because_of) = (false, None);
    }

    /// Stops the program that runs or is about to, and nothing else.
    pub(crate) fn interrupt(&self) {
        let mut state = self.lock();
        state.interrupted = true;
        if let Some(halt) = &state.halt {
            halt.stop(GRACE);
        }
    }

    /// Stops the program that runs or is about to because of a message, unless it was told that.
    pub(crate) fn interrupt_for(&self, message: Seq) {
        let mut state = self.lock();
        if message <= state.heard {
            return;
        }
        state.because_of = state.because_of.max(Some(message));
        if let Some(halt) = &state.halt {
            halt.stop(AT_ONCE);
        }
        state.ears.iter().for_each(Cancel::ring);
    }

    /// Says that the program that is started next is told all messages up to this one.
    pub(crate) fn heard(&self, message: Seq) {
        let mut state = self.lock();
        state.heard = state.heard.max(message);
        // Somebody may have asked to stop for it just before.
        state.because_of.take_if(|asked| *asked <= message);
    }

    /// Ties the program that runs now to it.
    pub(crate) fn attach(&self, halt: Halt) {
        let mut state = self.lock();
        if state.cut.is_some() || state.interrupted {
            halt.stop(GRACE);
        } else if state.because_of.is_some() {
            halt.stop(AT_ONCE);
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

    /// The same, or until the process behind the handle has ended.
    pub(crate) fn pause_for(&self, process: Option<BorrowedFd<'_>>, time: Duration) -> Option<Cut> {
        self.bell.wait_also(process, time);
        self.cut()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
