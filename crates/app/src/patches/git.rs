//! Calls of git about patches: with a scratch index and scratch objects. How git is kept from executing anything is in
//! [`crate::git`].

use std::{
    ffi::{OsStr, OsString},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    thread,
};

use baton_core::code::ErrorCode;

use crate::{
    Failure,
    git::{Hooks, command_with},
    paths::git::{self as plain},
};

/// The most that is read of an answer. Half an answer would be a wrong one, so more is a failure.
const OUTPUT_BYTES: u64 = 64 * 1024 * 1024;
const MESSAGE_BYTES: u64 = 4 * 1024;

/// Settings that would change what a patch means.
const SETTINGS: [&str; 4] =
    ["apply.whitespace=nowarn", "apply.ignoreWhitespace=no", "core.safecrlf=false", "core.sparseCheckout=false"];

/// A call of git in a repository.
pub(super) struct Git {
    top: PathBuf,
    words: Vec<OsString>,
    variables: Vec<(String, OsString)>,
    input: Vec<u8>,
}

/// What a call came to.
pub(super) struct Answer {
    pub(super) status: ExitStatus,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
}

impl Git {
    /// A call at the top of a working tree.
    pub(super) fn at(top: &Path) -> Self {
        Self { top: top.to_owned(), words: Vec::new(), variables: Vec::new(), input: Vec::new() }
    }

    pub(super) fn args<T: AsRef<OsStr>>(mut self, words: impl IntoIterator<Item = T>) -> Self {
        self.words.extend(words.into_iter().map(|word| word.as_ref().to_owned()));
        self
    }

    pub(super) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.variables.push((name.to_owned(), value.as_ref().to_owned()));
        self
    }

    pub(super) fn input(mut self, bytes: Vec<u8>) -> Self {
        self.input = bytes;
        self
    }

    /// Runs it, however it ends.
    pub(super) fn run(self) -> Result<Answer, Failure> {
        let broken = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => failed("git was not found on PATH.".to_owned()),
            _ => failed(format!("git could not be run: {error}.")),
        };
        let subcommand = self.words.first().and_then(|word| word.to_str()).unwrap_or_default();
        let mut git = command_with(&self.top, &SETTINGS, subcommand, Hooks::Off).map_err(broken)?;
        git.args(self.words.iter().skip(1)).envs(self.variables.iter().map(|(name, value)| (name, value)));
        let mut child = git.stdin(Stdio::piped()).spawn().map_err(broken)?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (mut bytes, mut message) = (Vec::new(), Vec::new());
        // All at once, or a full pipe of one would stop the others.
        let read = thread::scope(|scope| {
            scope.spawn(|| stdin.map(|mut pipe| pipe.write_all(&self.input)));
            scope.spawn(|| stderr.map(|pipe| keep_beginning(pipe, &mut message)));
            stdout.map_or(Ok(0), |pipe| pipe.take(OUTPUT_BYTES + 1).read_to_end(&mut bytes))
        });
        let status = child.wait().map_err(broken)?;
        read.map_err(broken)?;
        if bytes.len() as u64 > OUTPUT_BYTES {
            return Err(failed("git printed more than can be looked at.".to_owned()));
        }
        Ok(Answer { status, stdout: bytes, stderr: String::from_utf8_lossy(&message).into_owned() })
    }

    /// Runs it where it must succeed, and gives what it printed.
    pub(super) fn output(self) -> Result<Vec<u8>, Failure> {
        let answer = self.run()?;
        if answer.status.success() { Ok(answer.stdout) } else { Err(answer.failure()) }
    }

    /// The one line that it prints.
    pub(super) fn line(self) -> Result<String, Failure> {
        Ok(plain::text(&self.output()?))
    }

    /// The path that it prints.
    pub(super) fn path(self) -> Result<PathBuf, Failure> {
        let bytes = self.output()?;
        Ok(plain::path(bytes.strip_suffix(b"\n").unwrap_or(&bytes)))
    }
}

impl Answer {
    pub(super) fn failure(&self) -> Failure {
        let said = self.stderr.trim();
        if said.contains("not a git repository") || said.contains("must be run in a work tree") {
            return failed("The workspace is not in a git working tree.".to_owned());
        }
        failed(format!("git failed: {}", said.lines().last().unwrap_or("it did not say why")))
    }
}

/// Keeps the beginning and reads the rest away.
fn keep_beginning(mut pipe: impl Read, kept: &mut Vec<u8>) -> io::Result<u64> {
    pipe.by_ref().take(MESSAGE_BYTES).read_to_end(kept)?;
    io::copy(&mut pipe, &mut io::sink())
}

/// A list of directories as git reads it: with colons in between, unless it is in quotation marks.
#[cfg(unix)]
pub(super) fn alternates(directory: &Path) -> OsString {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let bytes = directory.as_os_str().as_bytes();
    if !bytes.contains(&b':') && !bytes.starts_with(b"\"") {
        return directory.as_os_str().to_owned();
    }
    let mut quoted = vec![b'"'];
    for byte in bytes {
        if matches!(byte, b'"' | b'\\') {
            quoted.push(b'\\');
        }
        quoted.push(*byte);
    }
    quoted.push(b'"');
    OsString::from_vec(quoted)
}

pub(super) fn failed(message: String) -> Failure {
    Failure::new(ErrorCode::PatchUnusable, message)
        .advising("Look at the repository with `git status`, then try again.")
}
