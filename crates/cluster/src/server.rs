//! The running server: a postmaster and the processes it has forked.
//!
//! The kernel's "signal me when my parent dies" means the parent *thread*. A test runs in a thread of its own and may
//! leave its server to others, so each server is started, and waited for, by a keeper thread that lives as long as it.

use std::{io, process::Command, sync::mpsc, thread, time::Duration};

use rustix::process::{Pid, Signal};

use crate::{
    ClusterError,
    processes::{Process, children_of},
};

/// How long a clean stop may take before it becomes less clean.
const STOP_LIMIT: Duration = Duration::from_secs(30);
/// The server kills what has not quit after five seconds.
const QUIT_LIMIT: Duration = Duration::from_secs(10);
const KILL_LIMIT: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(crate) struct Server {
    pid: Pid,
    process: Process,
    keeper: Option<thread::JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(mut command: Command) -> Result<Self, ClusterError> {
        let (tell, told) = mpsc::sync_channel(1);
        let keep = move || match command.spawn() {
            Ok(mut child) => {
                let pid = Pid::from_child(&child);
                // Not reaped yet, so the pid is still this child's.
                let process = Process::open(pid);
                if process.is_err() {
                    let _ = child.kill();
                }
                let _ = tell.send(process.map(|process| (pid, process)));
                let _ = child.wait();
            }
            Err(error) => drop(tell.send(Err(error))),
        };
        let could_not = "could not start postgres";
        let keeper = thread::Builder::new()
            .name("postgres keeper".into())
            .spawn(keep)
            .map_err(ClusterError::system(could_not))?;
        let started = told.recv().unwrap_or_else(|_| Err(io::Error::other("the keeper ended")));
        let (pid, process) = started.map_err(ClusterError::system(could_not))?;
        Ok(Self { pid, process, keeper: Some(keeper) })
    }

    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    pub(crate) fn ends_within(&self, limit: Duration) -> Result<bool, ClusterError> {
        self.process.ends_within(limit).map_err(ClusterError::system("could not wait for postgres"))
    }

    /// Ends all sessions, writes everything down and ends.
    pub(crate) fn stop(mut self) -> Result<(), ClusterError> {
        self.end(Signal::INT, STOP_LIMIT)
    }

    /// Kills the postmaster and all its children in one moment, and returns when they are gone.
    pub(crate) fn kill(mut self) -> Result<(), ClusterError> {
        self.kill_all()
    }

    fn end(&mut self, signal: Signal, limit: Duration) -> Result<(), ClusterError> {
        self.send(&self.process, signal)?;
        if !self.ends_within(limit)? {
            return self.kill_all();
        }
        self.reaped();
        Ok(())
    }

    fn kill_all(&mut self) -> Result<(), ClusterError> {
        // A stopped postmaster forks no more, so none is missed.
        self.send(&self.process, Signal::STOP)?;
        let children = children_of(self.pid).map_err(ClusterError::system("could not list processes"))?;
        let children: Vec<Process> = children.into_iter().filter_map(|pid| Process::open(pid).ok()).collect();
        let all = || std::iter::once(&self.process).chain(&children);
        all().try_for_each(|process| self.send(process, Signal::KILL))?;
        for process in all() {
            let ended = process.ends_within(KILL_LIMIT).map_err(ClusterError::system("could not wait for postgres"))?;
            if !ended {
                return Err(ClusterError::StillRunning);
            }
        }
        self.reaped();
        Ok(())
    }

    fn send(&self, process: &Process, signal: Signal) -> Result<(), ClusterError> {
        process.signal(signal).map_err(ClusterError::system("could not signal postgres"))
    }

    /// A zombie still has its pid, and the next postmaster would take it for a living one: see it reaped.
    fn reaped(&mut self) {
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.keeper.is_some() {
            let _ = self.end(Signal::QUIT, QUIT_LIMIT);
        }
    }
}
