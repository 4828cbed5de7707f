//! The circuits as workers and the loop share them: workers tell how their programs fare, the loop tells everybody.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use baton_app::Cancel;
use baton_core::{job::Executor, runner::Trouble, time::Timestamp};

use crate::{
    circuit::{Attempt, Backoff, Circuits, Consequence, ProgramFailure},
    slots::WorkerId,
};

/// The circuits of a runner.
#[derive(Debug)]
pub(crate) struct Breaker {
    circuits: Mutex<Circuits>,
    /// Workers that wait until their executor is tried again, each with its bell.
    waiting: Mutex<Vec<(Executor, WorkerId, Cancel)>>,
    /// Grows with each change that others should hear of.
    version: AtomicU64,
    /// Wakes the loop.
    poke: Cancel,
}

impl Breaker {
    pub(crate) fn new(backoff: Backoff, poke: Cancel) -> Self {
        Self {
            circuits: Mutex::new(Circuits::new(backoff)),
            waiting: Mutex::default(),
            version: AtomicU64::new(0),
            poke,
        }
    }

    /// Grows with each change of what [`trouble`](Self::trouble) tells.
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    pub(crate) fn fail(&self, now: Timestamp, failure: &ProgramFailure) -> Consequence {
        self.change(|circuits| circuits.fail(now, failure))
    }

    /// Closes the circuit of an executor that works, or that a person says is mended. All who wait for it try at once.
    pub(crate) fn close(&self, executor: Executor) {
        self.change(|circuits| circuits.close(executor));
        lock(&self.waiting).iter().filter(|(of, ..)| *of == executor).for_each(|(_, _, bell)| bell.ring());
    }

    /// Takes note of an attempt.
    pub(crate) fn begin(&self, executor: Executor, attempt: Attempt) {
        self.change(|circuits| circuits.begin(executor, attempt));
    }

    /// Takes note that an attempt is over.
    pub(crate) fn leave(&self, attempt: Attempt) {
        self.change(|circuits| circuits.leave(attempt));
    }

    /// Changes the circuits, and wakes the loop if there is something to tell.
    fn change<T>(&self, change: impl FnOnce(&mut Circuits) -> T) -> T {
        let all = |circuits: &Circuits| Executor::ALL.iter().map(|of| circuits.trouble(*of)).collect::<Vec<_>>();
        let mut circuits = lock(&self.circuits);
        let before = all(&circuits);
        let changed = change(&mut circuits);
        if all(&circuits) != before {
            self.version.fetch_add(1, Ordering::AcqRel);
            self.poke.ring();
        }
        changed
    }

    pub(crate) fn trouble(&self, executor: Executor) -> Option<Trouble> {
        lock(&self.circuits).trouble(executor)
    }

    pub(crate) fn next_probe(&self) -> Option<Timestamp> {
        lock(&self.circuits).next_probe()
    }

    /// Has `bell` rung when the circuit of an executor is closed, until the worker ends its wait.
    pub(crate) fn wait(&self, executor: Executor, worker: WorkerId, bell: Cancel) {
        lock(&self.waiting).push((executor, worker, bell));
    }

    pub(crate) fn end_wait(&self, worker: WorkerId) {
        lock(&self.waiting).retain(|(_, waiting, _)| *waiting != worker);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
