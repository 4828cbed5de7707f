//! A server that runs as our child, and how all of them are set up alike.

use std::{
    io::{self, BufRead, BufReader},
    process::{Child, ChildStdout, Command},
};

use tokio::runtime::{Builder, Runtime};

use crate::{helpers, trouble::Outcome};

/// Threads that carry bytes, as many as `baton up` has.
const WORKERS: usize = 2;

/// The runtime of a server, Baton's or bare.
pub(super) fn runtime() -> io::Result<Runtime> {
    Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build()
}

/// A helper that serves until it is dropped.
pub(super) struct Running {
    child: Child,
    stdout: BufReader<ChildStdout>,
}

impl Running {
    /// Starts one, and waits until it listens.
    pub(super) fn start(command: Command) -> Outcome<Self> {
        let (child, stdout) = helpers::start(command)?;
        Ok(Self { child, stdout: BufReader::new(stdout) })
    }

    /// A line that it says.
    pub(super) fn line(&mut self) -> Outcome<String> {
        let mut line = String::new();
        self.stdout.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Running {
    /// Lets it end, and leaves no child behind.
    fn drop(&mut self) {
        self.child.stdin = None;
        let _ = self.child.wait();
    }
}
