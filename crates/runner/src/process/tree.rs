//! Processes as `/proc` shows them, and handles on them that a reused pid cannot redirect.
#![expect(clippy::disallowed_methods, reason = "waiting for processes to end has a limit")]

use std::{
    collections::HashSet,
    fs,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    time::{Duration, Instant},
};

use baton_app::clock::BootClock;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal},
};

/// One process, as it was when it was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) pid: Pid,
    pub(super) name: String,
    pub(super) parent: i32,
    pub(super) group: i32,
    pub(super) session: i32,
    /// Clock ticks between boot and its start, as the machine counts them; with the pid, that is this process and no
    /// other.
    pub(super) start_ticks: u64,
    is_zombie: bool,
}

impl Entry {
    /// Looks at one process. None when there is none, or it has ended and only waits to be reaped.
    pub(super) fn of(pid: Pid) -> Option<Self> {
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        parse(pid, &stat).filter(|entry| !entry.is_zombie)
    }

    /// Takes hold of the process, if it still is the one that was looked at.
    pub(super) fn hold(&self) -> Option<Held> {
        let handle = pidfd_open(self.pid, PidfdFlags::empty()).ok()?;
        // The pid may have become another process's before the handle was opened, but not after.
        let now = Self::of(self.pid)?;
        (now.start_ticks == self.start_ticks).then_some(Held(handle))
    }
}

/// When a process started, also one that has ended and was not reaped yet.
pub(super) fn start_ticks(pid: Pid) -> Option<u64> {
    Some(parse(pid, &fs::read(format!("/proc/{pid}/stat")).ok()?)?.start_ticks)
}

/// `PID (NAME) STATE PARENT GROUP SESSION …`. The name may hold spaces and parentheses, so it ends at the last one.
fn parse(pid: Pid, stat: &[u8]) -> Option<Entry> {
    let open = stat.iter().position(|byte| *byte == b'(')?;
    let close = stat.iter().rposition(|byte| *byte == b')').filter(|close| *close > open)?;
    let fields: Vec<&str> = str::from_utf8(&stat[close + 1..]).ok()?.split_ascii_whitespace().collect();
    // proc(5) counts from 1 and the name is field 2, so field N is here at N - 3.
    let number = |field: usize| fields.get(field - 3)?.parse().ok();
    // A main thread that ended alone also shows as a zombie while the others run on; they are counted.
    let threads: u64 = fields.get(20 - 3)?.parse().ok()?;
    // The kernel shifts a start by the time namespace of whoever reads it.
    let shown_ticks: u64 = fields.get(22 - 3)?.parse().ok()?;
    Some(Entry {
        pid,
        name: String::from_utf8_lossy(&stat[open + 1..close]).into_owned(),
        is_zombie: matches!(*fields.first()?, "Z" | "X" | "x") && threads <= 1,
        parent: number(4)?,
        group: number(5)?,
        session: number(6)?,
        start_ticks: BootClock::here().map_or(shown_ticks, |clock| clock.ticks_since_boot(shown_ticks)),
    })
}

/// All processes that run.
pub(super) fn all() -> Vec<Entry> {
    let Ok(listed) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = listed.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(Pid::from_raw).filter_map(Entry::of).collect()
}

/// All that run below `root`, at whatever distance.
pub(super) fn descendants(root: Pid) -> Vec<Entry> {
    below(&HashSet::from([root.as_raw_nonzero().get()]), all())
}

/// Those of `entries` that are below one of `roots`.
pub(super) fn below(roots: &HashSet<i32>, mut entries: Vec<Entry>) -> Vec<Entry> {
    let (mut family, mut found) = (roots.clone(), Vec::new());
    loop {
        let (children, rest): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| family.contains(&entry.parent));
        if children.is_empty() {
            return found;
        }
        family.extend(children.iter().map(|entry| entry.pid.as_raw_nonzero().get()));
        found.extend(children);
        entries = rest;
    }
}

/// A handle on a process.
#[derive(Debug)]
pub(super) struct Held(OwnedFd);

impl Held {
    pub(super) fn kill(&self) {
        // It may have ended, or belong to another user. Whether it is gone is looked at, not believed.
        let _ = pidfd_send_signal(&self.0, Signal::KILL);
    }
}

impl AsFd for Held {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Waits until all have ended, but not longer than the limit.
pub(super) fn await_ends(processes: &[Held], limit: Duration) {
    let deadline = Instant::now() + limit;
    for process in processes {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let left = Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: i64::from(left.subsec_nanos()) };
            match poll(&mut [PollFd::new(&process.0, PollFlags::IN)], Some(&left)) {
                Err(Errno::INTR) => {}
                Ok(0) => return,
                Ok(_) | Err(_) => break,
            }
        }
    }
}

/// Kills all and waits for their ends, but not longer than the limit.
pub(super) fn kill(entries: &[Entry], limit: Duration) {
    /// More than these are killed as well; only their ends are not waited for, since handles are scarce.
    const AWAITED: usize = 256;
    let mut killed = Vec::new();
    for process in entries.iter().filter_map(Entry::hold) {
        process.kill();
        if killed.len() < AWAITED {
            killed.push(process);
        }
    }
    await_ends(&killed, limit);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(pid: i32, parent: i32) -> Entry {
        let stat = format!("{pid} (a) b (c) S {parent} 5 6 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 {} 0 0", 1000 + pid);
        parse(Pid::from_raw(pid).unwrap(), stat.as_bytes()).unwrap()
    }

    #[test]
    fn a_name_with_parentheses_does_not_shift_the_fields() {
        let entry = entry(42, 7);
        assert_eq!((entry.name.as_str(), entry.parent, entry.group, entry.session), ("a) b (c", 7, 5, 6));
        assert_eq!(entry.start_ticks, 1042);
    }

    #[test]
    fn descendants_are_found_in_whatever_order_they_are_listed() {
        let listed = vec![entry(30, 20), entry(10, 1), entry(40, 30), entry(20, 10), entry(50, 2)];
        let mut found: Vec<_> = below(&HashSet::from([10]), listed).iter().map(|entry| entry.pid.to_string()).collect();
        found.sort();
        assert_eq!(found, ["20", "30", "40"]);
    }

    #[test]
    fn a_process_that_started_at_another_time_is_not_held() {
        let mut myself = Entry::of(rustix::process::getpid()).unwrap();
        assert!(myself.hold().is_some());
        myself.start_ticks += 1;
        assert!(myself.hold().is_none());
    }
}
