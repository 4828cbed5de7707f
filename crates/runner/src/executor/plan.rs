//! How a program is started for a slice.

use std::{
    ffi::OsString,
    fs::OpenOptions,
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use baton_app::git::settings_for_agents;

use super::{Slice, Variables};
use crate::process::{Spawn, StopSignal};

/// What a program is started with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The program and its arguments.
    pub argv: Vec<OsString>,
    /// Variables for it, besides those it gets of the runner's.
    pub env: Vec<(OsString, OsString)>,
    /// Files that it reads, to be written first.
    pub files: Vec<(PathBuf, String)>,
    /// How it is asked to stop.
    pub stop_signal: StopSignal,
}

impl Plan {
    /// Writes its files, which nobody else may read: they may hold secrets.
    pub fn write_files(&self) -> io::Result<()> {
        for (path, text) in &self.files {
            write(path, text).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
        }
        Ok(())
    }

    /// The same as a child to start, with these variables of the runner's and nothing else of them.
    pub fn spawn(&self, slice: &Slice, inherited: &Variables) -> io::Result<Spawn> {
        let for_git = settings_for_agents(&slice.cwd)?;
        Ok(Spawn {
            argv: self.argv.clone(),
            cwd: slice.cwd.clone(),
            env: inherited.iter().chain(for_git).chain(self.env.iter().cloned()).collect(),
            stdin: slice.prompt.clone().into_bytes(),
            stop_signal: self.stop_signal,
            claim: None,
        })
    }
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
}

/// The arguments of a plan, as they are put together.
#[derive(Debug)]
pub(super) struct Argv(Vec<OsString>);

impl Argv {
    pub(super) fn of(program: &Path) -> Self {
        Self(vec![program.into()])
    }

    pub(super) fn add<T: Into<OsString>>(mut self, words: impl IntoIterator<Item = T>) -> Self {
        self.0.extend(words.into_iter().map(Into::into));
        self
    }

    pub(super) fn done(self) -> Vec<OsString> {
        self.0
    }
}
