//! The step between minder and program: it ties the program's life to the minder's, then becomes the program.
//!
//! That has to happen inside the new process, and running code between fork and exec is unsafe in Rust. So the new
//! process is first this program again, which arranges things for itself and then replaces itself; what it arranged
//! stays.

use std::{
    ffi::OsString,
    io::{self, Write},
    os::unix::process::CommandExt,
    process::{Command, ExitCode},
};

use rustix::process::{Signal, getppid, set_parent_process_death_signal, setsid};

/// What shells say for a program that cannot be run.
pub(super) const NOT_RUN: u8 = 127;

/// Becomes the program in `argv`, in a session of its own, to be killed when the process `minder` ends.
pub(super) fn launch(minder: &str, argv: &[OsString]) -> ExitCode {
    let Err(error) = become_program(minder, argv);
    let _ = writeln!(io::stderr(), "baton: {} could not be run: {error}", argv[0].display());
    NOT_RUN.into()
}

fn become_program(minder: &str, argv: &[OsString]) -> io::Result<std::convert::Infallible> {
    // No terminal to ask a person at: nobody sits there, and a question would be waited on for ever.
    setsid()?;
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // The signal is for an end that comes from now on. If the minder is gone already, we have another parent.
    if getppid().map(|parent| parent.to_string()).as_deref() != Some(minder) {
        return Err(io::Error::other("its minder is gone"));
    }
    let (program, arguments) = argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    Err(Command::new(program).args(arguments).exec())
}
