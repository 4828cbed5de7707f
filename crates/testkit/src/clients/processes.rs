//! Processes that a program started, which must end with it.

use std::{fs, path::Path};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// Ends a process, the process group it leads, and all that descends from it, in groups of their own too.
pub(super) fn end_tree(leader: Pid) {
    let descendants = descendants(leader);
    let _ = kill_process_group(leader, Signal::KILL);
    for process in descendants {
        let _ = kill_process(process, Signal::KILL);
    }
}

/// Ends every process whose program is below a directory: a server that `codex` keeps there in the background.
pub(super) fn end_below(directory: &Path) {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    for process in processes.filter_map(|entry| parse(entry.file_name().to_str()?)) {
        let program = fs::read_link(format!("/proc/{process}/exe"));
        if program.is_ok_and(|program| program.starts_with(directory)) {
            let _ = kill_process(process, Signal::KILL);
        }
    }
}

/// Everything that descends from a process, nearest first.
fn descendants(process: Pid) -> Vec<Pid> {
    let mut found = children(process);
    let mut next = 0;
    while let Some(process) = found.get(next).copied() {
        found.extend(children(process));
        next += 1;
    }
    found
}

pub(super) fn children(process: Pid) -> Vec<Pid> {
    let tasks = fs::read_dir(format!("/proc/{process}/task"));
    let lists =
        tasks.into_iter().flatten().flatten().filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .filter_map(|id| parse(&id))
        .collect()
}

/// The words of a process's command line; none when it is gone.
pub(super) fn command_line(process: Pid) -> Vec<String> {
    let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    line.split(|byte| *byte == 0)
        .filter(|word| !word.is_empty())
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect()
}

/// Whether a process runs. One that ended and was not waited for does not.
pub(super) fn runs(process: Pid) -> bool {
    !command_line(process).is_empty()
}

pub(super) fn parse(id: &str) -> Option<Pid> {
    id.trim().parse().ok().and_then(Pid::from_raw)
}
