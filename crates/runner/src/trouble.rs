//! What a worker does about a program that fails whatever the job: it waits and tries again, or gives its job back.

use std::time::Duration;

use baton_core::{job::ReportKind, runner::TroubleKind};

use crate::{
    circuit::{Attempt, Consequence, ProgramFailure},
    desk::Said,
    executor::{ExecutorKind, Failed},
    slice,
    work::{Halted, Work},
};

/// What a worker did about a failure of its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Met {
    /// It waited, and the failure is not the job's.
    Waited,
    /// The failure counts as the job's own.
    Counts,
    /// The job failed as often as it may, over several claims.
    Exhausted,
}

impl Work<'_> {
    /// Meets a failure of the program. A job whose model does not answer waits for it with its claim. Any other is given
    /// back once the circuit is open, so that it does not fail for what is not its fault.
    pub(crate) fn meet_trouble(&self, kind: TroubleKind, failed: &Failed) -> Result<Met, Halted> {
        let executor = slice::choose(self, &self.claimed.job)?.kind();
        let now = self.patiently(|| self.desk.app.now())?;
        let message = if failed.why.is_empty() { failed.tail.clone() } else { failed.why.clone() };
        let failure = ProgramFailure { executor, kind, message, attempt: Attempt::Job(self.claimed.id()) };
        let Consequence { is_open, next_try, job_failures } = self.breaker.fail(now, &failure);
        let program = executor.program();
        match kind {
            TroubleKind::Crash if !is_open => return Ok(Met::Counts),
            TroubleKind::Crash if job_failures >= self.settings.failures_max => return Ok(Met::Exhausted),
            TroubleKind::ModelDown => {}
            _ if is_open => {
                let reason = format!("{program} {}: {}", kind.meaning(), failed.why);
                return Err(Halted::Trouble(reason));
            }
            _ => {}
        }
        let what = match kind {
            TroubleKind::ModelDown => "the model does not answer".to_owned(),
            _ => format!("{program} {}", kind.meaning()),
        };
        let told = format!("{what}; next try at {next_try}: {}", failed.why);
        self.told.say(self.claimed.id(), &told);
        self.report(Said::new(ReportKind::Progress, told))?;
        self.wait_for_try(executor, Duration::from_millis(next_try.since(now).as_millis()))?;
        Ok(Met::Waited)
    }

    /// Waits until the program is tried again: after a time, or once it is known to work.
    fn wait_for_try(&self, executor: ExecutorKind, time: Duration) -> Result<(), Halted> {
        self.bell.clear();
        self.breaker.wait(executor, self.id, self.bell.clone());
        if self.lifeline.cut().is_none() {
            self.bell.wait(time);
        }
        self.breaker.end_wait(self.id);
        self.lifeline.cut().map_or(Ok(()), |cut| Err(Halted::Cut(cut)))
    }
}
