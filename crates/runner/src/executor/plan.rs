//! How a program is started for a slice.

use std::{
    ffi::OsString,
    fs::OpenOptions,
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use super::Slice;
use crate::process::{Spawn, StopSignal};

/// Variables by which a program would take itself for a part of the one that the runner was started from, or Baton would
/// take it for whoever started the runner.
const NESTED: [&str; 14] = [
    "BATON_AGENT_ID",
    "CLAUDECODE",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_SSE_PORT",
    "CLAUDE_PID",
    "CLAUDE_PROJECT_DIR",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID",
    "GEMINI_CLI",
    "OPENCODE",
    "OPENCODE_PID",
];

/// What a program is started with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The program and its arguments.
    pub argv: Vec<OsString>,
    /// Variables for it.
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

    /// The same as a child to start.
    pub fn spawn(&self, slice: &Slice) -> Spawn {
        let removed = NESTED.iter().map(|name| (name.into(), None));
        let set = self.env.iter().map(|(name, value)| (name.clone(), Some(value.clone())));
        Spawn {
            argv: self.argv.clone(),
            cwd: slice.cwd.clone(),
            env: removed.chain(set).collect(),
            stdin: slice.prompt.clone().into_bytes(),
            stop_signal: self.stop_signal,
            claim: None,
        }
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
