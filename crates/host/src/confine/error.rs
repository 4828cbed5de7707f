//! Reasons why a command was not run.

use std::{ffi::OsString, io};

/// A command that was not run.
#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    /// The system cannot confine; `0` says what it lacks.
    #[error("{0}")]
    Unavailable(&'static str),
    /// The rules could not be made or enforced.
    #[error("the confinement could not be set up: {0}")]
    Setup(String),
    /// The command itself could not be started.
    #[error("{} could not be started: {source}", .program.display())]
    Exec { program: OsString, source: io::Error },
}
