//! Other processes, seen through `/proc` and held by pidfd, so that a reused pid is never mistaken for the old one.

use std::{fs, io, os::fd::OwnedFd, time::Duration};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal},
};

/// A process that we can signal and whose end we can wait for, be it our child or not.
#[derive(Debug)]
pub struct Process {
    handle: OwnedFd,
}

impl Process {
    /// Takes hold of a running process.
    pub fn open(pid: Pid) -> io::Result<Self> {
        Ok(Self { handle: pidfd_open(pid, PidfdFlags::empty())? })
    }

    /// Sends a signal. One that has ended already is fine.
    pub fn signal(&self, signal: Signal) -> io::Result<()> {
        match pidfd_send_signal(&self.handle, signal) {
            Err(rustix::io::Errno::SRCH) => Ok(()),
            result => Ok(result?),
        }
    }

    /// Waits for its end, which a zombie has reached; returns whether it came in time.
    pub fn ends_within(&self, limit: Duration) -> io::Result<bool> {
        let limit = Timespec { tv_sec: limit.as_secs() as i64, tv_nsec: i64::from(limit.subsec_nanos()) };
        loop {
            match poll(&mut [PollFd::new(&self.handle, PollFlags::IN)], Some(&limit)) {
                Err(rustix::io::Errno::INTR) => {}
                result => return Ok(result? == 1),
            }
        }
    }
}

/// The processes whose parent is `parent`.
pub fn children_of(parent: Pid) -> io::Result<Vec<Pid>> {
    let pids = fs::read_dir("/proc")?.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    Ok(pids.filter_map(Pid::from_raw).filter(|pid| parent_of(*pid) == Some(parent)).collect())
}

fn parent_of(pid: Pid) -> Option<Pid> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    // The name comes first, in parentheses, and may hold anything; then state and parent.
    let (_, after_name) = stat.rsplit_once(')')?;
    Pid::from_raw(after_name.split_ascii_whitespace().nth(1)?.parse().ok()?)
}
