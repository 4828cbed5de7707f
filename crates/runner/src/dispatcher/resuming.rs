//! The part of the loop that resumes sessions: which it can, and a worker for each.

use std::{path::Path, sync::Arc, thread};

use baton_app::{
    Failure,
    hook::{DueSession, ResumeAbility},
};
use baton_core::process::ProcessIdentity;

use super::{Active, Dispatcher, Over, internal};
use crate::{
    circuit::Attempt,
    desk::may_pass,
    executor::{Executor, harness},
    lifeline::Lifeline,
    resumption::Resumption,
};

impl Dispatcher {
    /// Resumes sessions that are to be told something as long as there is a place, and tells how many.
    pub(super) fn resume_due(&mut self) -> Result<usize, Failure> {
        let mut resumed = 0;
        while !self.is_full() && !self.has_done_its_one() {
            match self.take_due_session() {
                Ok(Some(due)) => {
                    self.start_resumption(due)?;
                    resumed += 1;
                }
                Ok(None) => break,
                Err(failure) if may_pass(&failure) => {
                    self.told.line(&format!("cannot look for sessions to resume: {failure}"));
                    break;
                }
                Err(failure) => return Err(failure),
            }
        }
        Ok(resumed)
    }

    /// The processes whose end may leave a session to be resumed. Without them their sessions are looked at with the next
    /// bell.
    pub(super) fn resumable_processes(&self) -> Vec<ProcessIdentity> {
        let slugs = self.harness_slugs(|_| true);
        let can = self.home().map(|home| ResumeAbility { home, harnesses: &slugs });
        let found = can.map(|can| self.desk.app.resumable_processes(&self.desk.room, can));
        found.and_then(Result::ok).unwrap_or_default()
    }

    fn take_due_session(&self) -> Result<Option<DueSession>, Failure> {
        let Some(home) = self.home() else { return Ok(None) };
        let now = self.desk.app.now()?;
        // A program in trouble is left alone, but for a probe.
        let is_usable = |executor: &Executor| match self.breaker.trouble(executor.kind()) {
            Some(trouble) => trouble.next_probe_at.is_some_and(|at| at <= now),
            None => true,
        };
        let harnesses = self.harness_slugs(is_usable);
        if harnesses.is_empty() {
            return Ok(None);
        }
        let can = ResumeAbility { home, harnesses: &harnesses };
        self.desk.app.take_due_session(&self.desk.caller, &self.desk.room, can)
    }

    fn home(&self) -> Option<&Path> {
        self.settings.environment.home()
    }

    fn harness_slugs(&self, is_wanted: impl Fn(&Executor) -> bool) -> Vec<&'static str> {
        let wanted = self.settings.executors.iter().filter(|executor| is_wanted(executor));
        wanted.filter_map(|executor| harness(executor.kind())).map(|harness| harness.slug()).collect()
    }

    fn start_resumption(&mut self, due: DueSession) -> Result<(), Failure> {
        self.summary.sessions += 1;
        let id = self.next_worker();
        let attempt = Attempt::Session(id);
        let lifeline = Arc::new(Lifeline::new().map_err(|error| internal(&error))?);
        let (desk, settings, told) = (self.desk.clone(), Arc::clone(&self.settings), self.told.clone());
        let (line, over, poke) = (Arc::clone(&lifeline), self.over.0.clone(), self.settings.leave.poke().clone());
        let breaker = Arc::clone(&self.breaker);
        self.slots.occupy(id);
        let worker = thread::Builder::new().name(format!("session {}", due.name)).spawn(move || {
            // Told however it ends: a worker that panics must not keep its place.
            let _over = Over { id, over, poke };
            let (desk, settings, due, lifeline) = (&desk, &*settings, &due, &*line);
            Resumption { attempt, desk, settings, due, lifeline, told: &told, breaker: &breaker }.run();
        });
        let worker = worker.map_err(|error| internal(&error))?;
        self.active.push(Active { id, attempt, lifeline, worker });
        Ok(())
    }
}
