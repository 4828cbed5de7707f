//! What becomes of each job of a store that is filled: the same for the same number, and mixed as in a store that was used.

use baton_core::job::{Choice, Priority, ReportKind};

/// Jobs that are being worked on, in a store of any size: there are only so many runners.
const RUNNING: u32 = 40;

/// What became of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// Nobody has begun.
    Queued,
    /// Somebody is at it, and perhaps said something last.
    Running(Option<ReportKind>),
    /// It was done.
    Done,
    /// It could not be done.
    Failed,
    /// It was withdrawn.
    Canceled,
}

/// What a job is, and what became of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Life {
    pub(super) fate: Fate,
    pub(super) priority: Priority,
    pub(super) executor: Choice,
}

impl Life {
    /// The life of job `number` of `jobs`: of ten, six were done, three wait, and one came to nothing.
    pub(super) fn of(number: u32, jobs: u32) -> Self {
        let dice = scatter(number);
        let running_every = (jobs / RUNNING).max(1);
        let fate = match dice % 10 {
            _ if number.is_multiple_of(running_every) => Fate::Running(said(number / running_every)),
            0..=5 => Fate::Done,
            6 if dice & 0x1000 == 0 => Fate::Failed,
            6 => Fate::Canceled,
            _ => Fate::Queued,
        };
        let priority = match (dice >> 16) % 10 {
            0 => Priority::High,
            1..=7 => Priority::Medium,
            _ => Priority::Low,
        };
        let executor = match (dice >> 32) % 10 {
            0..=3 => Choice::Codex,
            4..=6 => Choice::ClaudeCode,
            _ => Choice::Auto,
        };
        Self { fate, priority, executor }
    }
}

/// What whoever is at a job said last: half of them want something.
fn said(which: u32) -> Option<ReportKind> {
    match which % 8 {
        0 => Some(ReportKind::Question),
        1 => Some(ReportKind::Error),
        2 => Some(ReportKind::ProofGate),
        3 | 4 => Some(ReportKind::Progress),
        _ => None,
    }
}

/// A number with nothing left of the order of `number` (the finalizer of splitmix64).
fn scatter(number: u32) -> u64 {
    let mut mixed = u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
