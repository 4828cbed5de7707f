//! `baton confine`

use std::{ffi::OsString, path::PathBuf, process::ExitCode};

use baton_app::{Failure, environment::Environment, programs::find_on_path};
use baton_core::code::ErrorCode;
use baton_host::confine::{ConfineError, Confinement};

use crate::{context::Context, ui::Ui};

/// Run a command that cannot write in a room's workspace, except in your own scopes
///
/// The kernel refuses the writes of the command and of all that it starts (Linux 6.2 or later, with Landlock). Reading is never
/// refused, nor is writing elsewhere. While you hold the stick, only scopes of other agents are closed. All working trees of the
/// repository and git's own directory belong to the workspace, so `git commit`, `checkout`, `reset` and `stash` are refused too.
///
/// Everything is decided when the command starts: a stick or scope that you get later opens nothing for it, one that you lose
/// closes nothing. In the directories above a closed one nothing can be created, removed or renamed, though files there can be
/// written. Not covered: modes, owners and times of files, hard links from elsewhere that are already there, and programs that
/// run already.
///
/// Exit status: the command's own. If it was not run: 1 failed, 2 wrong request, 3 refused, 4 not found.
#[derive(Debug, clap::Args)]
pub(super) struct ConfineArgs {
    /// The room: its id, or a path in its workspace [default: the current directory]
    #[arg(long, value_name = "ID|PATH")]
    room: Option<String>,
    /// The command, with its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl ConfineArgs {
    pub(super) fn run(self, context: Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room = context.app.room_for(&context.caller, self.room.as_deref())?;
        let bounds = context.app.write_bounds(&context.caller, &room)?;
        // The store is closed first: its files are none of the command's business.
        drop(context);
        let confinement = Confinement::prepare(&bounds.denied, &bounds.allowed).map_err(not_run)?;
        for path in confinement.unopened() {
            ui.warn(&format!(
                "{} cannot be written in this command: it does not exist yet, or a link leads there.",
                path.display()
            ));
        }
        match self.command.split_first() {
            Some((program, arguments)) => Err(not_run(confinement.exec(&found(program)?, arguments))),
            None => Err(Failure::new(ErrorCode::InvalidInput, "No command was given.")),
        }
    }
}

/// The program on the path, without its relative directories: a repository's file must not run because of its name. One with
/// a slash in it is meant as it is.
fn found(program: &OsString) -> Result<OsString, Failure> {
    if program.as_encoded_bytes().contains(&b'/') {
        return Ok(program.clone());
    }
    let environment = Environment::read();
    let found = find_on_path(program, environment.var_os("PATH").unwrap_or_default());
    found.map(PathBuf::into_os_string).ok_or_else(|| {
        let source = std::io::Error::from(std::io::ErrorKind::NotFound);
        not_run(ConfineError::Exec { program: program.clone(), source })
    })
}

fn not_run(error: ConfineError) -> Failure {
    match error {
        ConfineError::Unavailable(why) => {
            Failure::new(ErrorCode::ConfinementUnavailable, format!("The command was not run: {why}."))
        }
        ConfineError::Setup(_) => {
            Failure::new(ErrorCode::ConfinementUnavailable, format!("The command was not run: {error}."))
        }
        ConfineError::Exec { .. } => Failure::new(ErrorCode::PathNotFound, format!("{error}."))
            .advising("Give the program's name as it is on PATH, or its path."),
    }
}
