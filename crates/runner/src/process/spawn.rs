//! What to run, and how it is asked to stop.

use std::{ffi::OsString, path::PathBuf};

use rustix::process::Signal;

use super::BootTime;

/// A program to run as a child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spawn {
    /// The program and its arguments. The program is a path, not a name to be looked for.
    pub argv: Vec<OsString>,
    /// Where it runs.
    pub cwd: PathBuf,
    /// Its whole environment: nothing of the runner's own comes by itself. Of two with one name the last counts.
    pub env: Vec<(OsString, OsString)>,
    /// What it finds on its standard input, before the end.
    pub stdin: Vec<u8>,
    /// How it is asked to stop.
    pub stop_signal: StopSignal,
    /// The claim that it runs under, if it runs for a job.
    pub claim: Option<ClaimBounds>,
}

/// The bounds of a program that runs under a claim: no other program of its job beside it, and none after the claim's end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimBounds {
    /// The lock file of the job.
    pub lock: PathBuf,
    /// The claim, by its fence.
    pub revision: u64,
    /// The end of the claim, unless it is renewed.
    pub until: BootTime,
}

/// The first signal that a program gets when it is to stop. The last one is always SIGKILL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopSignal {
    /// SIGINT, as Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
}

impl StopSignal {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Interrupt => "INT",
            Self::Terminate => "TERM",
        }
    }

    pub(super) fn of_word(word: &str) -> Option<Self> {
        [Self::Interrupt, Self::Terminate].into_iter().find(|signal| signal.word() == word)
    }

    pub(super) const fn signal(self) -> Signal {
        match self {
            Self::Interrupt => Signal::INT,
            Self::Terminate => Signal::TERM,
        }
    }
}
