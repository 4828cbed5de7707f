//! `baton minder`: the process that a runner starts between itself and an agent program.

use std::{ffi::OsString, process::ExitCode};

/// Run one program for a runner, and end it with the runner
#[derive(Debug, clap::Args)]
pub(super) struct MinderArgs {
    /// What the runner says
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    words: Vec<OsString>,
}

impl MinderArgs {
    pub(super) fn run(&self) -> ExitCode {
        baton_runner::process::minder::run(&self.words)
    }
}
