//! A program without a screen: a prompt goes in, and it ends.

use std::{
    fs::File,
    os::unix::process::CommandExt,
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tempfile::TempDir;

use super::{Client, processes::end_tree};
use crate::model::LIMIT;

/// A program that runs. It ends with the test, and so does all that it started.
#[derive(Debug)]
pub struct Headless {
    client: Client,
    child: Child,
    printed: TempDir,
    ending: Receiver<()>,
}

/// A run that is over.
#[derive(Clone, Debug)]
pub struct Ended {
    /// None if a signal ended it.
    pub code: Option<i32>,
    /// All it printed.
    pub stdout: String,
    /// All it complained of.
    pub stderr: String,
}

impl Headless {
    pub(super) fn start(client: Client, mut command: Command) -> Self {
        let printed = tempfile::tempdir().unwrap();
        // Files: a pipe would stay open as long as anything that the program leaves behind.
        let file = |name: &str| File::create(printed.path().join(name)).unwrap();
        command.stdin(Stdio::null()).stdout(file("stdout")).stderr(file("stderr")).process_group(0);
        let child = command.spawn().unwrap();
        let (pid, (ended, ending)) = (Pid::from_child(&child), mpsc::channel());
        thread::spawn(move || {
            // Not reaped: its id names its process group until that is ended.
            let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
            let _ = ended.send(());
        });
        Self { client, child, printed, ending }
    }

    /// Its process id, which is also that of its process group. `codex` and `gemini` are launchers of a child.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal to it and to all in its process group.
    pub fn signal(&self, signal: Signal) {
        kill_process_group(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for its end, and ends all that it left behind.
    pub fn wait(mut self) -> Ended {
        let in_time = self.ending.recv_timeout(LIMIT).is_ok();
        end_tree(Pid::from_child(&self.child));
        let code = self.child.wait().unwrap().code();
        let read = |name: &str| {
            let bytes = std::fs::read(self.printed.path().join(name)).unwrap();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let ended = Ended { code, stdout: read("stdout"), stderr: read("stderr") };
        assert!(in_time, "{:?} did not end in time: {ended:#?}", self.client);
        ended
    }
}

impl Drop for Headless {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            end_tree(Pid::from_child(&self.child));
            let _ = self.child.wait();
        }
    }
}
