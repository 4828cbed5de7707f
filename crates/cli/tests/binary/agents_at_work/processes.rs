//! The processes of a scene: whatever was started in its world, by whomever.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

use std::{ffi::OsString, fs, os::unix::ffi::OsStringExt, path::Path, time::Duration};

use baton_cluster::processes::Process;
use rustix::process::Pid;

/// Longer than a program's grace and the end of its minder together, many times over.
const LIMIT: Duration = Duration::from_secs(120);

/// A process, held so that its end can be awaited.
pub(super) struct Found {
    pub(super) pid: Pid,
    /// What it was started as.
    pub(super) command: String,
    environment: Vec<String>,
    process: Process,
}

impl Found {
    /// A variable that it was started with.
    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        self.environment.iter().find_map(|variable| variable.strip_prefix(name)?.strip_prefix('='))
    }

    fn of(pid: Pid, root: &str) -> Option<Self> {
        // Held first: what is read afterwards is its own, or nobody's.
        let process = Process::open(pid).ok()?;
        let environment = words(pid, "environ")?;
        let command = words(pid, "cmdline")?.join(" ");
        environment.iter().any(|variable| variable.contains(root)).then_some(())?;
        Some(Self { pid, command, environment, process })
    }
}

/// All processes that run in a world: a variable of theirs leads there.
pub(super) fn processes_in(root: &Path) -> Vec<Found> {
    let root = root.to_str().unwrap();
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?));
    pids.filter_map(|pid| Found::of(pid, root)).collect()
}

/// Waits for the end of each.
pub(super) fn all_end(processes: &[Found]) {
    for found in processes {
        assert!(found.process.ends_within(LIMIT).unwrap(), "{} goes on: {}", found.pid, found.command);
    }
}

/// Whether each ends in time.
pub(super) fn all_end_within(processes: &[Found], limit: Duration) -> bool {
    processes.iter().all(|found| found.process.ends_within(limit).unwrap())
}

fn words(pid: Pid, file: &str) -> Option<Vec<String>> {
    let bytes = fs::read(format!("/proc/{}/{file}", pid.as_raw_nonzero())).ok()?;
    let words = bytes.split(|byte| *byte == 0).filter(|word| !word.is_empty());
    Some(words.map(|word| OsString::from_vec(word.to_vec()).to_string_lossy().into_owned()).collect())
}
