//! A circuit breaker for each executor: a program that fails job after job is left alone for a while, instead of burning the
//! queue.
//!
//! Failures in a row of one kind are counted over all jobs. From the third on the circuit is open: no more jobs are claimed
//! for the executor, and the runner says so with what it can do ([`Trouble`]). After a while one job is let through to try
//! (a probe); an answer closes the circuit, another failure doubles the wait. A person can close it, too. A job whose model
//! does not answer waits with its claim and is the probe itself; other jobs are given back to the queue.
//!
//! Time is always passed in, so all of this is tested without a clock.

use std::collections::BTreeMap;

use baton_core::{
    job::{Executor, JobId},
    limits,
    redact::redact,
    runner::{Trouble, TroubleKind},
    time::{Timestamp, Ttl},
};

use crate::slots::WorkerId;

/// Failures in a row that open a circuit.
const OPEN_AFTER: u32 = 3;

/// How long a program that failed is left alone: doubled with each failure in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// After the first failure.
    pub first: Ttl,
    /// At the most.
    pub most: Ttl,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { first: Ttl::from_secs(5), most: Ttl::from_minutes(5) }
    }
}

impl Backoff {
    fn after(self, failures: u32) -> Ttl {
        let doubled = self.first.as_millis().saturating_mul(1 << failures.saturating_sub(1).min(20));
        Ttl::from_millis(doubled).min(self.most)
    }
}

/// Something that a program is started for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Attempt {
    /// A job, however often it is claimed.
    Job(JobId),
    /// A session that is resumed, this once.
    Session(WorkerId),
}

/// A failure that is the program's.
#[derive(Clone, Debug)]
pub(crate) struct ProgramFailure {
    pub(crate) executor: Executor,
    pub(crate) kind: TroubleKind,
    pub(crate) message: String,
    pub(crate) attempt: Attempt,
}

/// What follows from a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Consequence {
    pub(crate) is_open: bool,
    /// When it is to be tried again.
    pub(crate) next_try: Timestamp,
    /// How often this job failed so, since something last went well.
    pub(crate) job_failures: u32,
}

/// The circuits of all executors. Those without failures in a row are closed.
#[derive(Debug, Default)]
pub(crate) struct Circuits {
    streaks: BTreeMap<Executor, Streak>,
    backoff: Backoff,
}

/// Failures in a row of one kind.
#[derive(Clone, Debug)]
struct Streak {
    kind: TroubleKind,
    message: String,
    since: Timestamp,
    failures: u32,
    attempts: BTreeMap<Attempt, u32>,
    next_try: Timestamp,
    /// The one that tries.
    probe: Option<Attempt>,
}

impl Circuits {
    pub(crate) fn new(backoff: Backoff) -> Self {
        Self { streaks: BTreeMap::new(), backoff }
    }

    /// Counts a failure.
    pub(crate) fn fail(&mut self, now: Timestamp, failure: &ProgramFailure) -> Consequence {
        let ProgramFailure { executor, kind, message, attempt } = failure;
        let known = self.streaks.remove(executor).filter(|streak| streak.kind == *kind);
        let mut streak = known.unwrap_or_else(|| Streak {
            kind: *kind,
            message: String::new(),
            since: now,
            failures: 0,
            attempts: BTreeMap::new(),
            next_try: now,
            probe: None,
        });
        streak.message = one_line(message);
        // Jobs that fail side by side are one sign of the same thing: the wait is not doubled for each.
        if now >= streak.next_try || streak.failures < OPEN_AFTER {
            streak.failures = streak.failures.saturating_add(1);
            streak.next_try = now.plus(self.backoff.after(streak.failures));
        }
        match kind {
            // It keeps its claim and tries again itself.
            TroubleKind::ModelDown => streak.probe = Some(*attempt),
            _ => drop(streak.probe.take_if(|probe| probe == attempt)),
        }
        let of_job = streak.attempts.entry(*attempt).or_default();
        *of_job += 1;
        let job_failures = *of_job;
        let consequence = Consequence { is_open: streak.is_open(), next_try: streak.next_try, job_failures };
        self.streaks.insert(*executor, streak);
        consequence
    }

    /// Closes the circuit of an executor that works.
    pub(crate) fn close(&mut self, executor: Executor) {
        self.streaks.remove(&executor);
    }

    /// Takes note of an attempt, which is the probe if its circuit is open.
    pub(crate) fn begin(&mut self, executor: Executor, attempt: Attempt) {
        if let Some(streak) = self.streaks.get_mut(&executor).filter(|streak| streak.is_open()) {
            streak.probe = Some(attempt);
        }
    }

    /// Takes note that an attempt is over. A probe that showed nothing (it was canceled, say) is followed by another one.
    pub(crate) fn leave(&mut self, attempt: Attempt) {
        for streak in self.streaks.values_mut() {
            streak.probe.take_if(|probe| *probe == attempt);
        }
    }

    /// Why an executor is not used, if so.
    pub(crate) fn trouble(&self, executor: Executor) -> Option<Trouble> {
        let streak = self.streaks.get(&executor).filter(|streak| streak.is_open())?;
        Some(Trouble {
            kind: streak.kind,
            message: streak.message.clone(),
            since: streak.since,
            next_probe_at: streak.next_probe(),
            reset_at: None,
        })
    }

    /// When the next probe is due.
    pub(crate) fn next_probe(&self) -> Option<Timestamp> {
        self.streaks.values().filter(|streak| streak.is_open()).filter_map(Streak::next_probe).min()
    }
}

impl Streak {
    /// A program that crashes on one job alone may be fine: that is the job's failure until another one meets it. A program
    /// that cannot be started needs no second look.
    fn is_open(&self) -> bool {
        match self.kind {
            TroubleKind::Missing | TroubleKind::CannotStart => true,
            TroubleKind::Crash => self.failures >= OPEN_AFTER && self.attempts.len() > 1,
            TroubleKind::NotLoggedIn | TroubleKind::UsageLimit | TroubleKind::ModelDown => self.failures >= OPEN_AFTER,
        }
    }

    /// When a job is let through, unless one is trying.
    fn next_probe(&self) -> Option<Timestamp> {
        self.probe.is_none().then_some(self.next_try)
    }
}

/// A message as it is told to everybody: in a line, short, and without secrets.
fn one_line(message: &str) -> String {
    let line = redact(message).split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.trim_end_matches('.');
    match line.char_indices().nth(limits::TROUBLE_CHARS - 1) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(seconds * 1_000)
    }

    fn failure(kind: TroubleKind, job: u32) -> ProgramFailure {
        ProgramFailure {
            executor: Executor::Codex,
            kind,
            message: "no.\nway.".to_owned(),
            attempt: Attempt::Job(JobId(job)),
        }
    }

    /// Fails at some seconds, each time with this job, and tells whether the circuit is open then.
    fn fails(circuits: &mut Circuits, kind: TroubleKind, times: &[(i64, u32)]) -> Vec<bool> {
        times.iter().map(|(seconds, job)| circuits.fail(at(*seconds), &failure(kind, *job)).is_open).collect()
    }

    fn probe_at(circuits: &Circuits) -> Option<i64> {
        circuits.trouble(Executor::Codex).unwrap().next_probe_at.map(|next| next.as_millis() / 1_000)
    }

    #[test]
    fn three_failures_of_one_kind_in_a_row_open_the_circuit_over_all_jobs() {
        for kind in [TroubleKind::NotLoggedIn, TroubleKind::UsageLimit, TroubleKind::ModelDown] {
            let mut circuits = Circuits::default();
            assert_eq!(fails(&mut circuits, kind, &[(0, 1), (5, 1), (15, 2)]), [false, false, true]);
            let trouble = circuits.trouble(Executor::Codex).unwrap();
            assert_eq!((trouble.kind, trouble.message.as_str(), trouble.since), (kind, "no. way", at(0)));
            let tries_itself = kind == TroubleKind::ModelDown;
            assert_eq!(trouble.next_probe_at, (!tries_itself).then_some(at(35)));
            assert_eq!(circuits.trouble(Executor::ClaudeCode), None, "the other one is well");
        }
    }

    #[test]
    fn another_kind_or_an_answer_begins_the_count_anew() {
        let mut circuits = Circuits::default();
        fails(&mut circuits, TroubleKind::ModelDown, &[(0, 1), (5, 1)]);
        assert_eq!(fails(&mut circuits, TroubleKind::NotLoggedIn, &[(15, 1), (20, 1)]), [false, false]);
        circuits.close(Executor::Codex);
        assert_eq!(fails(&mut circuits, TroubleKind::NotLoggedIn, &[(30, 1), (35, 1), (45, 1)]), [false, false, true]);
        circuits.close(Executor::Codex);
        assert_eq!((circuits.trouble(Executor::Codex), circuits.next_probe()), (None, None));
    }

    #[test]
    fn a_program_that_cannot_be_started_is_left_alone_at_once() {
        assert_eq!(fails(&mut Circuits::default(), TroubleKind::CannotStart, &[(0, 1)]), [true]);
    }

    #[test]
    fn crashes_of_one_job_alone_are_its_own_and_of_two_the_programs() {
        let mut circuits = Circuits::default();
        assert_eq!(fails(&mut circuits, TroubleKind::Crash, &[(0, 1), (0, 1), (0, 1)]), [false; 3]);
        assert_eq!(fails(&mut circuits, TroubleKind::Crash, &[(1, 2)]), [true]);
        // A job that crashes it again and again comes to its end, so that the next one is tried.
        let again = circuits.fail(at(1_000), &failure(TroubleKind::Crash, 2));
        assert_eq!((again.is_open, again.job_failures), (true, 2));
    }

    #[test]
    fn the_wait_doubles_from_five_seconds_to_five_minutes() {
        let mut circuits = Circuits::default();
        let mut now = at(0);
        let waits: Vec<u64> = (0..9)
            .map(|_| {
                let next = circuits.fail(now, &failure(TroubleKind::ModelDown, 1)).next_try;
                let wait = next.since(now).as_millis() / 1_000;
                now = next;
                wait
            })
            .collect();
        assert_eq!(waits, [5, 10, 20, 40, 80, 160, 300, 300, 300]);
    }

    #[test]
    fn jobs_that_fail_side_by_side_do_not_double_the_wait() {
        let mut circuits = Circuits::default();
        fails(&mut circuits, TroubleKind::UsageLimit, &[(0, 1), (0, 2), (0, 3), (0, 4), (1, 5)]);
        assert_eq!(probe_at(&circuits), Some(20));
    }

    #[test]
    fn one_job_is_let_through_at_a_time_and_its_failure_doubles_the_wait() {
        let mut circuits = Circuits::default();
        fails(&mut circuits, TroubleKind::NotLoggedIn, &[(0, 1), (5, 1), (15, 1)]);
        assert_eq!((probe_at(&circuits), circuits.next_probe()), (Some(35), Some(at(35))));
        circuits.begin(Executor::Codex, Attempt::Job(JobId(2)));
        assert_eq!((probe_at(&circuits), circuits.next_probe()), (None, None), "one is under way");
        assert_eq!(fails(&mut circuits, TroubleKind::NotLoggedIn, &[(40, 2)]), [true]);
        assert_eq!(probe_at(&circuits), Some(80));
        circuits.begin(Executor::Codex, Attempt::Session(WorkerId(3)));
        circuits.leave(Attempt::Job(JobId(2)));
        assert_eq!(probe_at(&circuits), None, "that was another one");
        circuits.leave(Attempt::Session(WorkerId(3)));
        assert_eq!(probe_at(&circuits), Some(80), "canceled, say: it showed nothing");
    }

    #[test]
    fn what_is_told_is_short_one_line_and_without_secrets() {
        let mut circuits = Circuits::default();
        let message = format!("a\nb cap_0123456789abcdefghjkmnpqrs {}", "x".repeat(1_000));
        circuits.fail(at(0), &ProgramFailure { message, ..failure(TroubleKind::CannotStart, 1) });
        let told = circuits.trouble(Executor::Codex).unwrap().message;
        assert!(told.chars().count() == limits::TROUBLE_CHARS && told.starts_with("a b "), "{told}");
        assert!(!told.contains("cap_0123"), "{told}");
    }
}
