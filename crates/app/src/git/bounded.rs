//! Runs a command of git within a bound on what it prints and how long it takes.

use std::{
    io::{self, Read},
    process::{Command, ExitStatus},
    sync::mpsc,
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group};

/// Output of git, perhaps not all of it.
pub(crate) struct Printed {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) status: ExitStatus,
    /// Whether there was more than the bound. Then git was ended.
    pub(crate) is_cut: bool,
}

/// Runs `command`, which must come from [`super::command`], and ends it after `deadline`.
pub(crate) fn run_bounded(command: &mut Command, most: u64, deadline: Duration) -> io::Result<Printed> {
    let mut child = command.spawn()?;
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    let (send, read) = mpsc::channel();
    for (which, pipe) in [(0, Box::new(stdout) as Box<dyn Read + Send>), (1, Box::new(stderr))] {
        let send = send.clone();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let done = pipe.take(most + 1).read_to_end(&mut bytes).map(|_| bytes);
            // Nobody listens any more when the time was up.
            let _ = send.send((which, done));
        });
    }
    let mut texts = [Vec::new(), Vec::new()];
    let mut outcome = Ok(());
    for _ in 0..texts.len() {
        match read.recv_timeout(deadline) {
            Ok((which, Ok(bytes))) => texts[which] = bytes,
            Ok((_, Err(error))) => outcome = Err(error),
            Err(_) => outcome = Err(io::ErrorKind::TimedOut.into()),
        }
        if outcome.is_err() {
            break;
        }
    }
    let is_cut = texts.iter().any(|text| text.len() as u64 > most);
    if outcome.is_err() || is_cut {
        // It was not waited for yet, so the group is its own.
        let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    }
    let status = child.wait()?;
    outcome?;
    let [stdout, stderr] = texts;
    Ok(Printed { stdout, stderr, status, is_cut })
}
