//! What a test asks about a script it gave.

use std::{
    sync::{Arc, MutexGuard},
    time::Duration,
};

use super::{
    Turn,
    state::{Play, Seen, Shared, State},
};

/// How long something is waited for before the test is given up. The programs take a second or two to start, many
/// times that on a busy machine, and some minutes to give up on a model that fails.
pub(crate) const LIMIT: Duration = Duration::from_secs(300);

/// A script that was given to the model, and how far it got.
#[derive(Debug)]
pub struct Script {
    pub(super) shared: Arc<Shared>,
    pub(super) index: usize,
}

impl Script {
    /// Waits until a step was asked for, and gives what the model saw when it first was.
    pub fn reached(&self, step: usize) -> Turn {
        let state = self.wait(&format!("step {step}"), |state| self.seen(state).any(|seen| seen.step == step));
        let turn = self.seen(&state).find(|seen| seen.step == step).map(|seen| seen.turn.clone());
        turn.unwrap()
    }

    /// Waits until the last step was answered in every conversation that plays it, and in one at least.
    pub fn finished(&self) {
        drop(self.wait("its end", |state| {
            let mut plays = self.plays(state).peekable();
            plays.peek().is_some() && plays.all(|play| play.finished)
        }));
    }

    /// Waits until so many conversations play it.
    pub fn conversations(&self, count: usize) {
        let enough = |state: &State| self.plays(state).count() >= count;
        drop(self.wait(&format!("conversation {count}"), enough));
    }

    /// What the model saw each time it was asked for a step, so far. A request that was held is there once for the
    /// hold and once for the step after it.
    pub fn turns(&self) -> Vec<Turn> {
        let state = self.shared.state();
        self.seen(&state).map(|seen| seen.turn.clone()).collect()
    }

    /// The steps that were asked for so far, in the order of asking.
    pub fn steps(&self) -> Vec<usize> {
        let state = self.shared.state();
        self.seen(&state).map(|seen| seen.step).collect()
    }

    fn plays<'a>(&self, state: &'a State) -> impl Iterator<Item = &'a Play> {
        let index = self.index;
        state.plays.iter().filter(move |play| play.script == index)
    }

    fn seen<'a>(&self, state: &'a State) -> impl Iterator<Item = &'a Seen> {
        let index = self.index;
        state.seen.iter().filter(move |seen| state.plays[seen.play].script == index)
    }

    /// Waits for something, unless a script fails first: what the test waits for would not come any more.
    fn wait(&self, what: &str, met: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let going_on = |state: &mut State| !met(state) && state.failures.is_empty();
        let (state, _) = self.shared.changed.wait_timeout_while(self.shared.state(), LIMIT, going_on).unwrap();
        if met(&state) {
            return state;
        }
        let name = state.scripts[self.index].name.clone();
        let steps: Vec<usize> = self.seen(&state).map(|seen| seen.step).collect();
        let failures = state.failures.join("\n");
        drop(state);
        panic!("the script of {name} did not come to {what}; steps asked for: {steps:?}; {failures}");
    }
}
