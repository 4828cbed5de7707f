//! Real child processes: alive, stopped, dead, not reaped; and identities that lie.
#![cfg(target_os = "linux")]

use std::process::{Child, Command, Stdio};

use baton_core::process::{Liveness, ProcessIdentity, Proof, Witness};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, Signal, WaitOptions, kill_process, waitpid},
};

use super::{
    Probe, identify,
    sighting::{Sighting, look_in_proc},
};

/// A child that waits for ever, and ends with the test.
struct Sleeper(Child);

impl Sleeper {
    fn start() -> Self {
        // `cat` on a pipe that nobody writes to.
        Self(Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap())
    }

    fn identity(&self) -> ProcessIdentity {
        identify(self.0.id()).unwrap()
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.0)
    }

    fn end(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_running_process_is_alive_and_asking_again_uses_one_handle() {
    let (sleeper, probe) = (Sleeper::start(), Probe::new());
    let process = sleeper.identity();
    for _ in 0..3 {
        assert_eq!(probe.liveness(&process), Liveness::Alive);
    }
    assert_eq!(probe.handles(), 1);
}

#[test]
fn a_process_that_was_killed_and_reaped_is_gone_whether_or_not_it_was_known() {
    let (mut sleeper, probe) = (Sleeper::start(), Probe::new());
    let process = sleeper.identity();
    assert_eq!(probe.liveness(&process), Liveness::Alive);
    sleeper.end();
    assert_eq!(probe.liveness(&process), Liveness::Gone(Proof::Exited));
    assert_eq!(Probe::new().liveness(&process), Liveness::Gone(Proof::Exited));
    assert_eq!(probe.handles(), 0);
}

#[test]
fn a_zombie_is_gone() {
    let (mut sleeper, probe) = (Sleeper::start(), Probe::new());
    let process = sleeper.identity();
    assert_eq!(probe.liveness(&process), Liveness::Alive);
    let ended = probe.watch(&process).unwrap();
    sleeper.0.kill().unwrap();
    assert!(becomes_readable(&ended));
    assert_eq!(probe.liveness(&process), Liveness::Gone(Proof::Zombie));
}

#[test]
fn a_stopped_process_is_alive() {
    let (sleeper, probe) = (Sleeper::start(), Probe::new());
    let process = sleeper.identity();
    kill_process(sleeper.pid(), Signal::STOP).unwrap();
    waitpid(Some(sleeper.pid()), WaitOptions::UNTRACED).unwrap();
    assert_eq!(probe.liveness(&process), Liveness::Alive);
}

#[test]
fn a_reused_pid_proves_that_the_earlier_process_is_gone() {
    let sleeper = Sleeper::start();
    let now = sleeper.identity();
    let reused = Liveness::Gone(Proof::PidReused);
    let other_ticks = ProcessIdentity { start_ticks: now.start_ticks - 2, pidfd_inode: None, ..now.clone() };
    assert_eq!(Probe::new().liveness(&other_ticks), reused);
    if let Some(inode) = now.pidfd_inode {
        let other_inode = ProcessIdentity { pidfd_inode: Some(inode + 1), ..now.clone() };
        assert_eq!(Probe::new().liveness(&other_inode), reused);
    }
    // A probe that knows the live one is not confused by the earlier one.
    let probe = Probe::new();
    assert_eq!(probe.liveness(&now), Liveness::Alive);
    assert_eq!(probe.liveness(&other_ticks), reused);
    assert_eq!(probe.liveness(&now), Liveness::Alive);
    assert!(probe.watch(&other_ticks).is_none());
}

#[test]
fn an_equal_inode_is_alive_and_the_same_process_whatever_the_ticks_say() {
    let mut sleeper = Sleeper::start();
    let now = sleeper.identity();
    assert!(now.pidfd_inode.is_some(), "this kernel numbers its processes");
    let elsewhere = ProcessIdentity { start_ticks: now.start_ticks + 8_640_000, ..now.clone() };
    for probe in [Probe::new(), Probe::new()] {
        assert_eq!(probe.liveness(&elsewhere), Liveness::Alive);
        assert_eq!(probe.liveness(&now), Liveness::Alive);
        assert_eq!(probe.handles(), 1, "one process, one handle");
        assert!(probe.watch(&elsewhere).is_some());
    }
    sleeper.end();
    assert_eq!(Probe::new().liveness(&elsewhere), Liveness::Gone(Proof::Exited));
}

#[test]
fn an_earlier_boot_of_this_host_is_proof_and_another_host_or_namespace_is_unknown() {
    let sleeper = Sleeper::start();
    let now = sleeper.identity();
    let probe = Probe::new();
    let other_boot = ProcessIdentity { boot_id: "earlier".to_owned(), ..now.clone() };
    assert_eq!(probe.liveness(&other_boot), Liveness::Gone(Proof::Rebooted));
    let other_host = ProcessIdentity { host_id: "host_far".to_owned(), boot_id: "theirs".to_owned(), ..now.clone() };
    assert_eq!(probe.liveness(&other_host), Liveness::Unknown);
    let other_namespace = ProcessIdentity { pid_namespace: now.pid_namespace + 1, pid: u32::MAX, ..now };
    assert_eq!(probe.liveness(&other_namespace), Liveness::Unknown);
}

#[test]
fn a_watched_process_wakes_its_watcher_when_it_ends_and_not_before() {
    let (mut sleeper, probe) = (Sleeper::start(), Probe::new());
    let process = sleeper.identity();
    let watch = probe.watch(&process).unwrap();
    assert_eq!(super::pidfd::has_ended(&watch), Ok(false));
    sleeper.end();
    assert!(becomes_readable(&watch));
    assert!(probe.watch(&process).is_none());
}

#[test]
fn a_pid_that_cannot_exist_is_gone_and_cannot_be_identified() {
    let own = identify(std::process::id()).unwrap();
    for pid in [0, u32::MAX, i32::MAX.cast_unsigned()] {
        assert_eq!(identify(pid), None);
        let never = ProcessIdentity { pid, pidfd_inode: None, ..own.clone() };
        assert_eq!(Probe::new().liveness(&never), Liveness::Gone(Proof::Exited), "{pid}");
    }
}

#[test]
fn the_handles_kept_are_bounded() {
    let probe = Probe::new();
    let sleepers: Vec<_> = (0..70).map(|_| Sleeper::start()).collect();
    for sleeper in &sleepers {
        assert_eq!(probe.liveness(&sleeper.identity()), Liveness::Alive);
    }
    assert_eq!(probe.handles(), 64);
    assert!(sleepers.iter().all(|sleeper| probe.liveness(&sleeper.identity()) == Liveness::Alive));
}

#[test]
fn a_process_says_when_it_started() {
    use crate::clock::{Clock, SystemClock};
    let before = SystemClock.now();
    let started = Sleeper::start().identity().process_started_at;
    // Ticks are 10 ms long and the clock may be adjusted meanwhile.
    assert!(before.since(started).as_millis() < 1000 && started.since(SystemClock.now()).as_millis() < 1000);
}

#[test]
fn without_pidfds_proc_tells_the_same() {
    let mut sleeper = Sleeper::start();
    let process = sleeper.identity();
    assert!(matches!(look_in_proc(&process), Sighting::Running(None)));
    let earlier = ProcessIdentity { start_ticks: process.start_ticks - 2, ..process.clone() };
    assert!(matches!(look_in_proc(&earlier), Sighting::Gone(Proof::PidReused)));
    let rounded = ProcessIdentity { start_ticks: process.start_ticks - 1, ..process.clone() };
    assert!(matches!(look_in_proc(&rounded), Sighting::Running(None)));
    let ended = Probe::new().watch(&process).unwrap();
    sleeper.0.kill().unwrap();
    assert!(becomes_readable(&ended));
    assert!(matches!(look_in_proc(&process), Sighting::Gone(Proof::Zombie)));
    sleeper.0.wait().unwrap();
    assert!(matches!(look_in_proc(&process), Sighting::Gone(Proof::Exited)));
}

fn becomes_readable(fd: &std::os::fd::OwnedFd) -> bool {
    let mut fds = [PollFd::new(fd, PollFlags::IN)];
    poll(&mut fds, Some(&Timespec { tv_sec: 10, tv_nsec: 0 })).unwrap() == 1
}
