//! The processes above this one, parent first.

use baton_core::process::ProcessIdentity;

/// A process above this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ancestor {
    /// Its pid.
    pub pid: u32,
    /// The name of its command, cut to 15 bytes by the kernel.
    pub comm: String,
    /// The beginning of its command line; empty where it cannot be read.
    pub argv: Vec<String>,
    /// What identifies it; `None` where that cannot be seen.
    pub identity: Option<ProcessIdentity>,
}

impl Ancestor {
    fn unseen(pid: u32) -> Self {
        Self { pid, comm: String::new(), argv: Vec::new(), identity: None }
    }
}

/// The processes above this one.
pub(super) fn of_this_process() -> Vec<Ancestor> {
    #[cfg(unix)]
    let parent = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get().cast_unsigned());
    #[cfg(not(unix))]
    let parent = None;
    parent.map(upwards_from).unwrap_or_default()
}

/// `pid` and the processes above it, as far as they can be seen.
#[cfg(target_os = "linux")]
pub(super) fn upwards_from(pid: u32) -> Vec<Ancestor> {
    use crate::liveness::{identify_as, seen};

    /// Deeper than any harness nests.
    const ANCESTORS_MAX: usize = 32;

    let mut ancestors = Vec::new();
    let (mut pid, mut child_start_ticks) = (pid, u64::MAX);
    while pid != 0 && ancestors.len() < ANCESTORS_MAX {
        let Some(seen) = seen(pid) else {
            ancestors.push(Ancestor::unseen(pid));
            break;
        };
        // No process is younger than its child: the real parent ended, and its pid was given away meanwhile.
        if seen.start_ticks > child_start_ticks {
            break;
        }
        let identity = identify_as(pid, &seen);
        ancestors.push(Ancestor { pid, comm: seen.comm, argv: argv_of(pid), identity });
        (pid, child_start_ticks) = (seen.parent, seen.start_ticks);
    }
    ancestors
}

/// Only the parent, and only its pid.
#[cfg(not(target_os = "linux"))]
pub(super) fn upwards_from(pid: u32) -> Vec<Ancestor> {
    vec![Ancestor::unseen(pid)]
}

/// The first arguments: the program, its options and the script it runs are among them.
#[cfg(target_os = "linux")]
fn argv_of(pid: u32) -> Vec<String> {
    use std::{fs::File, io::Read};

    const READ_BYTES: u64 = 4096;
    const ARGUMENTS_MAX: usize = 16;

    let mut text = Vec::new();
    let read = File::open(format!("/proc/{pid}/cmdline")).and_then(|file| file.take(READ_BYTES).read_to_end(&mut text));
    if read.is_err() || text.is_empty() {
        return Vec::new();
    }
    let arguments = text.split(|byte| *byte == 0).take(ARGUMENTS_MAX);
    arguments.map(|argument| String::from_utf8_lossy(argument).into_owned()).filter(|a| !a.is_empty()).collect()
}
