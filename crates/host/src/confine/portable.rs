//! Systems without Landlock.

use std::{ffi::OsString, path::PathBuf};

use super::ConfineError;

const MISSING: ConfineError = ConfineError::Unavailable("only Linux can confine a command");

/// Rules for a command. None can be made here.
#[derive(Debug)]
pub enum Confinement {}

/// Whether a command can be confined, or else why not.
pub const fn availability() -> Result<(), ConfineError> {
    Err(MISSING)
}

impl Confinement {
    /// Makes the rules that keep writes out of `denied`, except for what `allowed` names inside.
    pub fn prepare(_denied: &[PathBuf], _allowed: &[PathBuf]) -> Result<Self, ConfineError> {
        Err(MISSING)
    }

    /// The allowed paths that could not be opened up.
    pub fn unopened(&self) -> &[PathBuf] {
        match *self {}
    }

    /// Becomes the command. Returns only when that failed.
    pub fn exec(self, _program: &OsString, _arguments: &[OsString]) -> ConfineError {
        match self {}
    }
}
