//! The careful look at one process: is the one that has this pid now the one that was identified?

use std::{io, os::fd::OwnedFd};

use baton_core::process::{ProcessIdentity, Proof, same_start};
use rustix::{
    io::Errno,
    process::{Pid, test_kill_process},
};

use super::{pidfd, stat};

/// What was seen of a process that lives, if it lives, in our own pid namespace.
#[derive(Debug)]
pub(super) enum Sighting {
    /// It runs, and this handle (where the kernel has them) is on it.
    Running(Option<OwnedFd>),
    /// It does not run.
    Gone(Proof),
    /// Something has its pid, but whether it is the same cannot be seen.
    Hidden,
}

/// Looks at `process`.
pub(super) fn look(process: &ProcessIdentity) -> Sighting {
    match pidfd::open(process.pid) {
        Ok(fd) => look_with_handle(process, fd),
        Err(Errno::SRCH) => Sighting::Gone(Proof::Exited),
        // No pidfds, no descriptors left, or the pid now belongs to a mere thread: /proc knows.
        Err(_) => look_in_proc(process),
    }
}

/// What is read from `/proc` after the handle was opened, and before the handle says "ended", is about the
/// process that the handle is on: until then its pid cannot be given to another.
fn look_with_handle(process: &ProcessIdentity, fd: OwnedFd) -> Sighting {
    let is_it = process.pidfd_inode.zip(pidfd::inode(&fd)).map(|(known, found)| known == found);
    if is_it == Some(false) {
        return Sighting::Gone(Proof::PidReused);
    }
    let seen = stat::read(process.pid);
    match pidfd::has_ended(&fd) {
        Ok(true) => return Sighting::Gone(proof_of_end(process, seen)),
        Ok(false) => {}
        Err(_) => return Sighting::Hidden,
    }
    match seen {
        // A number that is never reused says enough, whatever /proc shows or hides.
        _ if is_it == Some(true) => Sighting::Running(Some(fd)),
        Ok(seen) if same_start(seen.start_ticks, process.start_ticks) => Sighting::Running(Some(fd)),
        Ok(_) => Sighting::Gone(Proof::PidReused),
        Err(_) => Sighting::Hidden,
    }
}

/// Whatever had the pid when it was opened has ended, so ours has: it was that one, or one before it.
fn proof_of_end(process: &ProcessIdentity, seen: io::Result<stat::Stat>) -> Proof {
    match seen {
        Ok(seen) if !same_start(seen.start_ticks, process.start_ticks) => Proof::PidReused,
        Ok(_) => Proof::Zombie,
        Err(_) if no_such_process(process.pid) => Proof::Exited,
        Err(_) => Proof::Zombie,
    }
}

/// The same without a handle. Between two of its looks a pid may be given away, so it looks once.
pub(super) fn look_in_proc(process: &ProcessIdentity) -> Sighting {
    match stat::read(process.pid) {
        Ok(seen) if !same_start(seen.start_ticks, process.start_ticks) => Sighting::Gone(Proof::PidReused),
        Ok(seen) if seen.has_ended() => Sighting::Gone(Proof::Zombie),
        Ok(_) => Sighting::Running(None),
        // /proc may also be silent because it hides what is not ours; signal 0 tells the two apart.
        Err(_) if no_such_process(process.pid) => Sighting::Gone(Proof::Exited),
        Err(_) => Sighting::Hidden,
    }
}

fn no_such_process(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_none_or(|pid| test_kill_process(pid) == Err(Errno::SRCH))
}
