//! A program that goes on until somebody stops it: what it shows is read as it comes.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

use std::{
    io::Read,
    process::{Child, ChildStdout, Command, Stdio},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fd::AsFd,
    io::Errno,
    process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open},
};

/// Longer than anything here takes; a hang becomes a failure.
const PATIENCE: Timespec = Timespec { tv_sec: 60, tv_nsec: 0 };

/// Waits until something can be read there, or is over. Commands that other tests run end all the while, and each end
/// interrupts whoever waits.
pub(crate) fn ready(fd: impl AsFd) -> bool {
    loop {
        match poll(&mut [PollFd::new(&fd, PollFlags::IN)], Some(&PATIENCE)) {
            Err(Errno::INTR) => {}
            answer => return answer == Ok(1),
        }
    }
}

/// A running program.
pub(crate) struct Live {
    child: Child,
    out: Option<ChildStdout>,
    shown: String,
}

impl Live {
    pub(crate) fn start(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().unwrap();
        let out = child.stdout.take();
        Self { child, out, shown: String::new() }
    }

    /// Waits until it has shown `words` since this was last asked, and tells all that it showed with them.
    pub(crate) fn shows(&mut self, words: &str) -> String {
        while !self.shown.contains(words) {
            let out = self.out.as_mut().unwrap();
            let mut bytes = [0; 4096];
            assert!(ready(&*out), "nothing more came: {}", self.shown);
            let read = out.read(&mut bytes).unwrap_or(0);
            assert!(read > 0, "it ended without showing {words:?}: {}", self.shown);
            // A character that is cut in two is none that a test looks for.
            self.shown.push_str(&String::from_utf8_lossy(&bytes[..read]));
        }
        let end = self.shown.find(words).unwrap() + words.len();
        let rest = self.shown.split_off(end);
        std::mem::replace(&mut self.shown, rest)
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Reads no more of what it shows.
    pub(crate) fn is_read_no_more(&mut self) {
        self.out = None;
    }

    /// Waits for its end, and tells its exit status and what it still showed.
    pub(crate) fn ends(mut self) -> (i32, String) {
        let pid = Pid::from_child(&self.child);
        let end = pidfd_open(pid, PidfdFlags::empty()).unwrap();
        // What is still in the pipe must not keep it from ending.
        while let Some(out) = self.out.as_mut() {
            let mut bytes = [0; 4096];
            assert!(ready(&*out), "nothing more came: {}", self.shown);
            match out.read(&mut bytes).unwrap_or(0) {
                0 => self.out = None,
                read => self.shown.push_str(&String::from_utf8_lossy(&bytes[..read])),
            }
        }
        assert!(ready(&end), "it did not end: {}", self.shown);
        (self.child.wait().unwrap().code().unwrap_or(-1), std::mem::take(&mut self.shown))
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        // A test that failed leaves nothing running.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
