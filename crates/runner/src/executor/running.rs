//! A slice in progress: a child process, what it prints, and what became of it.
#![expect(clippy::disallowed_methods, reason = "a slice has a deadline")]

use std::{
    io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use super::{Answer, Executor, ExecutorKind, Failed, Reading, Seen, Session, Slice, Variables, claude_state};
use crate::process::{BootTime, Child, ClaimBounds, Exit, Line, Output, Spawn, Stopper};

/// How long a slice may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Until it is asked to stop.
    pub slice: Duration,
    /// From then until it is killed.
    pub grace: Duration,
}

/// What became of a slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It answered.
    Answered(Answer),
    /// It ended without an answer.
    Failed(Failed),
    /// It took too long.
    TimedOut,
    /// It was stopped.
    Stopped,
}

/// A slice that is over.
#[derive(Clone, Debug)]
pub struct Played {
    /// What became of it.
    pub outcome: Outcome,
    /// How the program ended.
    pub exit: Exit,
    /// The conversation, if it can be gone on with.
    pub session: Option<Session>,
    /// How many lines of the program meant nothing to us.
    pub ignored_lines: u64,
}

/// A slice in progress. Dropping it ends the program.
pub struct Running {
    child: Child,
    reading: Box<dyn Reading>,
    limits: Limits,
    halt: Halt,
}

/// Stops a slice from wherever.
#[derive(Clone, Debug)]
pub struct Halt {
    stopper: Stopper,
    was_stopped: Arc<AtomicBool>,
}

impl Halt {
    /// Asks the program to stop, and kills after the grace what is left.
    pub fn stop(&self, grace: Duration) {
        self.was_stopped.store(true, Ordering::Release);
        self.stopper.stop(grace);
    }

    /// Says that the claim was renewed, and is good until `end`.
    pub(crate) fn extend(&self, end: BootTime) {
        self.stopper.extend(end);
    }
}

impl Running {
    /// Starts a program for a slice. `own_program` is [`Child::own_program`], but for tests.
    pub fn start(
        executor: &Executor,
        slice: &Slice,
        inherited: &Variables,
        limits: Limits,
        claim: Option<ClaimBounds>,
        own_program: &Path,
    ) -> io::Result<Self> {
        let plan = executor.plan(slice);
        plan.write_files()?;
        let mut spawn = Spawn { claim, ..plan.spawn(slice, inherited)? };
        if executor.kind() == ExecutorKind::ClaudeCode {
            let apart = claude_state::apart(&slice.scratch, inherited)?;
            spawn.env.retain(|(name, _)| apart.iter().all(|(known, _)| known != name));
            spawn.env.extend(apart);
        }
        let child = Child::spawn(&spawn, own_program)?;
        let halt = Halt { stopper: child.stopper(), was_stopped: Arc::default() };
        Ok(Self { child, reading: executor.reading(slice), limits, halt })
    }

    /// A handle to stop it from another thread.
    pub fn halt(&self) -> Halt {
        self.halt.clone()
    }

    /// Waits for the end. Each line is handed on as it was printed, followed by what it means.
    pub fn finish(mut self, mut on_line: impl FnMut(&Line), mut see: impl FnMut(Seen)) -> Played {
        let deadline = Instant::now().checked_add(self.limits.slice);
        let (mut session, mut is_late) = (None, false);
        let exit = loop {
            let output = match deadline {
                Some(deadline) if !is_late => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    // Lines that come without end do not move the deadline.
                    if left.is_zero() { None } else { self.child.next_output_within(left) }
                }
                Some(_) | None => Some(self.child.next_output()),
            };
            match output {
                None => {
                    is_late = true;
                    self.child.stop(self.limits.grace);
                }
                Some(Output::Ended(exit)) => break exit,
                Some(Output::Line(line)) => {
                    on_line(&line);
                    self.reading.line(&line, &mut |seen| {
                        if let Seen::Session { id } = &seen {
                            session = Session::parse(id);
                        }
                        see(seen);
                    });
                }
            }
        };
        let answer = self.reading.answer(&exit);
        let outcome = match answer {
            _ if self.halt.was_stopped.load(Ordering::Acquire) || exit.claim_ran_out => Outcome::Stopped,
            // It may still have come to an end in its grace.
            Ok(answer) => Outcome::Answered(answer),
            Err(_) if is_late => Outcome::TimedOut,
            Err(failed) => Outcome::Failed(failed),
        };
        Played { outcome, exit, session, ignored_lines: self.reading.ignored_lines() }
    }
}
