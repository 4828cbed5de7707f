//! A real process that does nothing, to be stopped and killed.

use std::process::{Child, Command, Stdio};

use baton_app::liveness::identify;
use baton_core::process::ProcessIdentity;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

/// A child that waits for ever, and ends with the test however the test ends.
#[derive(Debug)]
pub struct Sleeper(Child);

impl Sleeper {
    /// Starts one.
    pub fn start() -> Self {
        // `cat` on a pipe that nobody writes to: unlike `sleep`, it ends when the test's own process does.
        Self(Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap())
    }

    /// What identifies it while it runs.
    pub fn identity(&self) -> ProcessIdentity {
        identify(self.0.id()).unwrap()
    }

    /// Kills it and waits until it is gone.
    pub fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Stops it (SIGSTOP) and waits until it stands still.
    pub fn stop(&self) {
        kill_process(self.pid(), Signal::STOP).unwrap();
        waitpid(Some(self.pid()), WaitOptions::UNTRACED).unwrap();
    }

    /// Lets it go on (SIGCONT).
    pub fn resume(&self) {
        kill_process(self.pid(), Signal::CONT).unwrap();
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.0)
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
