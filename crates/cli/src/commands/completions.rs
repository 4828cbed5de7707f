//! `baton completions`

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;

use super::Arguments;
use crate::{exit::Exit, ui};

/// Print shell completions
///
/// For example: baton completions bash > ~/.local/share/bash-completion/completions/baton
#[derive(Debug, clap::Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

impl CompletionsArgs {
    pub(super) fn run(&self) -> ExitCode {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Arguments::command(), "baton", &mut script);
        ui::print(&String::from_utf8_lossy(&script));
        Exit::Done.into()
    }
}
