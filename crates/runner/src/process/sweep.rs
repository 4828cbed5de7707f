//! Ending what a minder could not: the second line of defence, for when the minder itself was killed.
//!
//! Every program carries its minder's mark in its environment, and so does whatever it starts, wherever that hides.
//! A mark names the minder exactly: pid namespace, pid and start. A process whose minder is gone is nobody's.

use std::{
    collections::HashSet,
    ffi::OsStr,
    fmt, fs,
    os::unix::{ffi::OsStrExt, fs::MetadataExt},
    time::Duration,
};

use baton_core::process::same_start;
use rustix::process::Pid;

use super::tree::{self, Entry, Held};

/// The variable that holds the mark.
pub(super) const VARIABLE: &str = "BATON_MINDER";

/// How often to look again, for what was started while the rest was killed.
const ROUNDS: usize = 20;
const ROUND: Duration = Duration::from_millis(500);

/// What names a minder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    namespace: u64,
    minder: Pid,
    start_ticks: u64,
}

impl Mark {
    /// The mark of the process `minder`, which may have ended but was not reaped.
    pub(super) fn of(minder: Pid) -> Option<Self> {
        Some(Self { namespace: namespace()?, minder, start_ticks: tree::start_ticks(minder)? })
    }

    pub(super) fn parse(text: &OsStr) -> Option<Self> {
        let mut fields = text.to_str()?.split(':');
        let mut next = || fields.next()?.parse::<u64>().ok();
        let (namespace, minder, start_ticks) = (next()?, next()?, next()?);
        Some(Self { namespace, minder: Pid::from_raw(i32::try_from(minder).ok()?)?, start_ticks })
    }

    /// Takes hold of the minder, if it lives and can be seen from here.
    pub(super) fn hold(&self) -> Option<Held> {
        self.entry()?.hold()
    }

    /// The minder, if it lives and can be seen from here.
    fn entry(&self) -> Option<Entry> {
        let is_it = |entry: &Entry| same_start(entry.start_ticks, self.start_ticks);
        Entry::of(self.minder).filter(|entry| namespace() == Some(self.namespace) && is_it(entry))
    }

    /// The mark that a process carries.
    fn carried_by(entry: &Entry) -> Option<Self> {
        let environment = fs::read(format!("/proc/{}/environ", entry.pid)).ok()?;
        let value = environment
            .split(|byte| *byte == 0)
            .find_map(|variable| variable.strip_prefix(VARIABLE.as_bytes())?.strip_prefix(b"="))?;
        Self::parse(OsStr::from_bytes(value))
    }

    /// Whether the minder is known to be gone. One of another namespace may well live, we would not see it.
    fn is_orphaned(&self, here: u64) -> bool {
        let lives = || Entry::of(self.minder).is_some_and(|minder| same_start(minder.start_ticks, self.start_ticks));
        self.namespace == here && !lives()
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.namespace, self.minder, self.start_ticks)
    }
}

fn namespace() -> Option<u64> {
    Some(fs::metadata("/proc/self/ns/pid").ok()?.ino())
}

/// Kills what a minder left that was itself killed: the session and the group of its program, and whatever carries its
/// mark, with all below them. Tells the names of those that are still there.
pub(super) fn sweep(mark: &Mark, program: Pid, program_ticks: u64) -> Vec<String> {
    let leader = program.as_raw_nonzero().get();
    kill_all(|entry: &Entry| {
        let is_led = entry.session == leader || entry.group == leader;
        // While a session has members, its leader's pid is given to nobody else; once it has none, it may be.
        let is_our_leader = || tree::start_ticks(program).is_none_or(|ticks| same_start(ticks, program_ticks));
        (is_led && is_our_leader()) || Mark::carried_by(entry).as_ref() == Some(mark)
    })
}

/// Kills a minder, everything below it, and what carries its mark. One of another namespace is left alone.
pub(super) fn end_minder(mark: &Mark, program: Option<(Pid, u64)>) {
    if namespace() != Some(mark.namespace) {
        return;
    }
    let is_minder = |entry: &Entry| entry.pid == mark.minder && same_start(entry.start_ticks, mark.start_ticks);
    let is_led = |entry: &Entry| {
        program.is_some_and(|(leader, start_ticks)| {
            let pid = leader.as_raw_nonzero().get();
            // While a session has members, its leader's pid is given to nobody else; once it has none, it may be.
            let is_ours = || tree::start_ticks(leader).is_none_or(|ticks| same_start(ticks, start_ticks));
            (entry.session == pid || entry.group == pid) && is_ours()
        })
    };
    kill_all(|entry| is_minder(entry) || is_led(entry) || Mark::carried_by(entry).as_ref() == Some(mark));
}

/// Kills what runners left that were killed at the same moment as their minders. A runner calls it when it starts.
/// Tells how many processes there were.
pub fn sweep_orphans() -> usize {
    let Some(here) = namespace() else { return 0 };
    let is_orphan = |entry: &Entry| Mark::carried_by(entry).is_some_and(|mark| mark.is_orphaned(here));
    let found = tree::all().into_iter().filter(is_orphan).count();
    if found > 0 {
        kill_all(is_orphan);
    }
    found
}

fn kill_all(is_meant: impl Fn(&Entry) -> bool) -> Vec<String> {
    let mut left = Vec::new();
    for _ in 0..ROUNDS {
        let entries = tree::all();
        let (mut meant, others): (Vec<_>, Vec<_>) = entries.into_iter().partition(&is_meant);
        let roots: HashSet<i32> = meant.iter().map(|entry| entry.pid.as_raw_nonzero().get()).collect();
        meant.extend(tree::below(&roots, others));
        meant.retain(|entry| entry.pid != rustix::process::getpid());
        if meant.is_empty() {
            return Vec::new();
        }
        tree::kill(&meant, ROUND);
        left = meant;
    }
    left.retain(|entry| entry.hold().is_some());
    left.into_iter().map(|entry| entry.name).take(super::wire::NAMES_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_as_it_was_written() {
        let mark = Mark::of(rustix::process::getpid()).unwrap();
        assert_eq!(Mark::parse(OsStr::new(&mark.to_string())), Some(mark));
        for wrong in ["", "1:2", "1:0:3", "a:b:c"] {
            assert_eq!(Mark::parse(OsStr::new(wrong)), None, "{wrong}");
        }
    }

    #[test]
    fn only_a_minder_of_this_namespace_that_is_gone_leaves_orphans() {
        let mark = Mark::of(rustix::process::getpid()).unwrap();
        let here = namespace().unwrap();
        assert!(!mark.is_orphaned(here));
        let reused = Mark { start_ticks: mark.start_ticks + 2, ..mark.clone() };
        assert!(reused.is_orphaned(here));
        let elsewhere = Mark { namespace: here + 1, ..reused };
        assert!(!elsewhere.is_orphaned(here));
    }
}
