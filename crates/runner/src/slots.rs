//! How many jobs a runner works on at once: a semaphore whose places a job gives back while it waits for a person.
//!
//! A job that waits keeps its claim, its working tree and its conversation, and takes a place again before it goes on. Jobs
//! that want their place back come before jobs that are not claimed yet, the one that asked first before the others.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use baton_app::Cancel;
use baton_core::limits;

/// One claim or resumption of this runner's, in the order in which they were made. A job that comes back has another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WorkerId(pub(crate) u64);

/// The places of a runner.
#[derive(Debug)]
pub(crate) struct Slots {
    state: Mutex<State>,
    /// The most jobs that have a place.
    working_max: usize,
    /// The most jobs that wait without one: a runner tells of all its jobs in one heartbeat, which is bounded.
    waiting_max: usize,
    /// Wakes the loop, which may claim for a place that came free.
    freed: Cancel,
}

#[derive(Debug, Default)]
struct State {
    working: Vec<WorkerId>,
    waiting: Vec<WorkerId>,
    /// Jobs that want their place back, the first that asked first, each with the bell that tells it that it has one.
    returning: VecDeque<(WorkerId, Cancel)>,
}

/// What became of a place that was given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Yielded {
    /// It is free for another job.
    Yes,
    /// So many jobs wait already that this one keeps its place.
    TooManyWait,
}

impl Slots {
    pub(crate) fn new(max_parallel: u32, freed: Cancel) -> Self {
        let waiting_max = limits::RUNNER_WAITING.min(limits::RUNNER_PARALLEL.saturating_sub(max_parallel));
        let (working_max, waiting_max) = (max_parallel as usize, waiting_max as usize);
        Self { state: Mutex::default(), working_max, waiting_max, freed }
    }

    /// Whether another job can be claimed. Places that are wanted back are spoken for.
    pub(crate) fn is_full(&self) -> bool {
        let state = self.lock();
        state.working.len() + state.returning.len() >= self.working_max
    }

    /// Takes a place for a job that was claimed.
    pub(crate) fn occupy(&self, job: WorkerId) {
        self.lock().working.push(job);
    }

    /// Gives the place of a job back while it waits for a person.
    pub(crate) fn give_up(&self, job: WorkerId) -> Yielded {
        let mut state = self.lock();
        if state.waiting.len() + state.returning.len() >= self.waiting_max {
            return Yielded::TooManyWait;
        }
        state.working.retain(|working| *working != job);
        state.waiting.push(job);
        self.hand_on(&mut state);
        Yielded::Yes
    }

    /// Asks for a place again. `granted` rings when there is one; [`has_place`](Self::has_place) tells.
    pub(crate) fn ask_back(&self, job: WorkerId, granted: Cancel) {
        let mut state = self.lock();
        state.waiting.retain(|waiting| *waiting != job);
        state.returning.push_back((job, granted));
        self.hand_on(&mut state);
    }

    pub(crate) fn has_place(&self, job: WorkerId) -> bool {
        self.lock().working.contains(&job)
    }

    /// Forgets a job that is over, wherever it was.
    pub(crate) fn release(&self, job: WorkerId) {
        let mut state = self.lock();
        state.working.retain(|working| *working != job);
        state.waiting.retain(|waiting| *waiting != job);
        state.returning.retain(|(returning, _)| *returning != job);
        self.hand_on(&mut state);
    }

    /// Gives free places to those that want theirs back, and wakes the loop for what is left.
    fn hand_on(&self, state: &mut State) {
        while state.working.len() < self.working_max
            && let Some((job, granted)) = state.returning.pop_front()
        {
            state.working.push(job);
            granted.ring();
        }
        if state.working.len() < self.working_max {
            self.freed.ring();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn slots(max_parallel: u32) -> Slots {
        Slots::new(max_parallel, Cancel::new().unwrap())
    }

    fn bell() -> Cancel {
        Cancel::new().unwrap()
    }

    fn rung(bell: &Cancel) -> bool {
        bell.wait(Duration::ZERO)
    }

    #[test]
    fn a_job_that_waits_gives_its_place_back_and_takes_the_next_free_one_before_a_new_job() {
        let (slots, granted) = (slots(1), bell());
        slots.occupy(WorkerId(1));
        assert!(slots.is_full());
        assert_eq!(slots.give_up(WorkerId(1)), Yielded::Yes);
        assert!(!slots.is_full() && rung(&slots.freed), "another may be claimed");
        slots.occupy(WorkerId(2));
        slots.ask_back(WorkerId(1), granted.clone());
        assert!(!slots.has_place(WorkerId(1)) && !rung(&granted), "the other one has it");
        slots.freed.clear();
        slots.release(WorkerId(2));
        assert!(slots.has_place(WorkerId(1)) && rung(&granted));
        assert!(slots.is_full() && !rung(&slots.freed), "nothing is left for a new job");
    }

    #[test]
    fn places_are_handed_on_in_the_order_in_which_they_were_asked_for() {
        let slots = slots(2);
        for job in 1..=4 {
            slots.occupy(WorkerId(job));
            slots.give_up(WorkerId(job));
        }
        (5..=6).for_each(|job| slots.occupy(WorkerId(job)));
        for job in [3, 1, 4] {
            slots.ask_back(WorkerId(job), bell());
        }
        // One that is canceled meanwhile asks for nothing any more.
        slots.release(WorkerId(1));
        slots.release(WorkerId(5));
        assert!(slots.has_place(WorkerId(3)) && !slots.has_place(WorkerId(4)));
        slots.release(WorkerId(6));
        assert!(slots.has_place(WorkerId(4)));
    }

    #[test]
    fn a_job_keeps_its_place_when_too_many_wait_already() {
        let slots = slots(1);
        for job in 1..=u64::from(limits::RUNNER_WAITING) {
            slots.occupy(WorkerId(job));
            assert_eq!(slots.give_up(WorkerId(job)), Yielded::Yes);
        }
        let last = WorkerId(u64::from(limits::RUNNER_WAITING) + 1);
        slots.occupy(last);
        assert_eq!(slots.give_up(last), Yielded::TooManyWait);
        assert!(slots.has_place(last) && slots.is_full());
        // All that a runner is at fits into one heartbeat.
        let widest = Slots::new(limits::RUNNER_PARALLEL, bell());
        assert_eq!(widest.give_up(WorkerId(1)), Yielded::TooManyWait);
    }
}
