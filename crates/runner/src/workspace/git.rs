//! Runs `git` in bounded time. How it is kept from executing anything is in [`baton_app::git`].

use std::{
    ffi::{OsStr, OsString},
    io::{self, Read, Write},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process::{self, Stdio},
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    thread::{self, JoinHandle},
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group};

use baton_app::git::{Hooks, command};

/// The most that is read where the answer must be whole.
const OUTPUT_BYTES: usize = 64 * 1024 * 1024;
const MESSAGE_BYTES: u64 = 4 * 1024;
/// How long one call may take.
const DEADLINE: Duration = Duration::from_secs(120);

/// Why git cannot help.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// It is not to be had.
    #[error("git could not be run: {0}")]
    NotRun(io::Error),
    /// There is no repository with a working tree.
    #[error("{} is not in a git working tree", .0.display())]
    NoRepository(PathBuf),
    /// The `.git` of a worktree was removed or leads to another repository.
    #[error("the .git of its worktree was removed or replaced")]
    Replaced,
    /// There is nothing that a worktree could begin with.
    #[error("{} has no commit yet", .0.display())]
    NoCommit(PathBuf),
    /// It says no.
    #[error("git failed: {0}")]
    Failed(String),
    /// It has more to say than can be looked at.
    #[error("git printed more than can be looked at")]
    TooMuch,
    /// It does not come to an end.
    #[error("git did not end within {} s", DEADLINE.as_secs())]
    TooLong,
    /// A file of ours.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: io::Error,
    },
}

impl GitError {
    pub(super) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::File { path: path.to_owned(), error }
    }
}

/// A call of git.
pub(super) struct Git {
    root: PathBuf,
    words: Vec<OsString>,
    variables: Vec<(String, OsString)>,
    input: Vec<u8>,
}

/// What git printed, perhaps not all of it.
pub(super) struct Printed {
    pub(super) bytes: Vec<u8>,
    pub(super) was_cut: bool,
}

impl Git {
    pub(super) fn at(root: &Path) -> Self {
        Self { root: root.to_owned(), words: Vec::new(), variables: Vec::new(), input: Vec::new() }
    }

    /// The subcommand and its arguments.
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

    /// Runs it where half an answer would be a wrong one.
    pub(super) fn whole(self) -> Result<Vec<u8>, GitError> {
        let printed = self.up_to(OUTPUT_BYTES)?;
        if printed.was_cut { Err(GitError::TooMuch) } else { Ok(printed.bytes) }
    }

    /// The one line that it prints. A file name may end in blanks, so only the end of the line goes.
    pub(super) fn line(self) -> Result<OsString, GitError> {
        let bytes = self.whole()?;
        Ok(OsStr::from_bytes(bytes.strip_suffix(b"\n").unwrap_or(&bytes)).to_owned())
    }

    /// Runs it and gives the beginning of what it prints.
    pub(super) fn up_to(self, most: usize) -> Result<Printed, GitError> {
        let subcommand = self.words.first().and_then(|word| word.to_str()).unwrap_or_default();
        let mut git = command(&self.root, subcommand, Hooks::Off).map_err(GitError::NotRun)?;
        git.args(self.words.iter().skip(1)).envs(self.variables);
        let mut child = git.stdin(Stdio::piped()).spawn().map_err(GitError::NotRun)?;
        let watched = Deadline::of(&child);
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (mut bytes, mut message) = (Vec::new(), Vec::new());
        // All at once, or a full pipe of one would stop the others. What is over the bound is dropped with the pipe,
        // and git ends when it writes there.
        let read = thread::scope(|scope| {
            scope.spawn(|| stdin.map(|mut pipe| pipe.write_all(&self.input)));
            scope.spawn(|| stderr.map(|pipe| keep_beginning(pipe, &mut message)));
            stdout.map_or(Ok(0), |pipe| pipe.take(most as u64 + 1).read_to_end(&mut bytes))
        });
        let status = child.wait().map_err(GitError::NotRun)?;
        if watched.passed() {
            return Err(GitError::TooLong);
        }
        read.map_err(GitError::NotRun)?;
        let was_cut = bytes.len() > most;
        bytes.truncate(most);
        if status.success() || was_cut {
            return Ok(Printed { bytes, was_cut });
        }
        let said = String::from_utf8_lossy(&message);
        if said.contains("not a git repository") || said.contains("must be run in a work tree") {
            return Err(GitError::NoRepository(self.root));
        }
        Err(GitError::Failed(said.trim().lines().last().unwrap_or("it did not say why").to_owned()))
    }
}

/// Ends git, and all that it started, when it takes too long: a disk that does not answer must not hold up a job.
struct Deadline {
    done: Option<Sender<()>>,
    watcher: Option<JoinHandle<bool>>,
}

impl Deadline {
    fn of(child: &process::Child) -> Self {
        let group = Pid::from_child(child);
        let (done, over) = channel::<()>();
        // Its end is heard by the sender being dropped. The group is the child's own until it is waited for, which is after.
        let watcher = thread::spawn(move || {
            let is_late = over.recv_timeout(DEADLINE) == Err(RecvTimeoutError::Timeout);
            if is_late {
                // One that has just ended needs no killing.
                let _ = kill_process_group(group, Signal::KILL);
            }
            is_late
        });
        Self { done: Some(done), watcher: Some(watcher) }
    }

    fn passed(mut self) -> bool {
        drop(self.done.take());
        self.watcher.take().and_then(|watcher| watcher.join().ok()).unwrap_or_default()
    }
}

/// Keeps the beginning and reads the rest away.
fn keep_beginning(mut pipe: impl Read, kept: &mut Vec<u8>) -> io::Result<u64> {
    pipe.by_ref().take(MESSAGE_BYTES).read_to_end(kept)?;
    io::copy(&mut pipe, &mut io::sink())
}

/// The parts that end in a zero byte.
pub(super) fn fields(listed: &[u8]) -> impl Iterator<Item = &[u8]> {
    listed.split(|byte| *byte == 0).filter(|field| !field.is_empty())
}

/// A path as git stores it, byte for byte.
pub(super) fn path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}
