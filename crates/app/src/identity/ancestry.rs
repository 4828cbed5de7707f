//! The processes above this one, parent first.

use baton_core::process::ProcessIdentity;

/// Deeper than anything nests that does not try to hide something.
const ANCESTORS_MAX: usize = 256;
/// In place of a claim on a minder's command line (`baton minder watch SIGNAL CLAIM LOCK …`), where there is none.
const NO_CLAIM: &str = "-";

/// The processes above a caller, as far as they can be seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ancestry {
    /// Parent first.
    pub processes: Vec<Ancestor>,
    /// Whether they were seen up to the first process, from a place that does not deceive. Where they were not, a harness
    /// may be above.
    pub is_whole: bool,
}

impl Ancestry {
    /// The processes that mind a runner's program, nearest first. Everything below the minder of a job works for that job.
    pub(super) fn minders(&self) -> impl Iterator<Item = &Ancestor> {
        self.processes.iter().filter(|ancestor| ancestor.is_minder())
    }

    /// Whether there may be more processes than were looked at.
    pub(super) fn is_cut(&self) -> bool {
        !self.is_whole && self.processes.len() >= ANCESTORS_MAX
    }
}

/// A process above this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ancestor {
    /// Its pid.
    pub pid: u32,
    /// The pid of its session's leader.
    pub session: u32,
    /// The name of its command, cut to 15 bytes by the kernel.
    pub comm: String,
    /// The beginning of its command line; empty where it cannot be read.
    pub argv: Vec<String>,
    /// What identifies it; `None` where that cannot be seen.
    pub identity: Option<ProcessIdentity>,
}

impl Ancestor {
    /// The name of its program: the first word of its command line without directories and the dash of a login shell, or
    /// the name that the kernel keeps.
    pub(super) fn program(&self) -> &str {
        let word = self.argv.first().map_or(&*self.comm, String::as_str);
        let name = word.rsplit('/').next().unwrap_or(word);
        name.strip_prefix('-').unwrap_or(name)
    }

    /// Whether it minds a program that a runner started.
    pub(super) fn is_minder(&self) -> bool {
        let is_baton = self.program() == "baton" || self.comm == "baton";
        is_baton && self.argv.get(1).is_some_and(|word| word == "minder")
    }

    /// Whether the program that it minds may be a job's: it has no claim only where it is a session that a runner resumed, which
    /// is an agent of its own. Who forges this gains nothing: the minder of its job is above all the same.
    pub(super) fn may_mind_job(&self) -> bool {
        let without_claim = ["watch", NO_CLAIM, NO_CLAIM];
        let words = [2, 4, 5].map(|place| self.argv.get(place).map(String::as_str));
        self.is_minder() && words != without_claim.map(Some)
    }
}

/// The processes above this one.
pub(super) fn of_this_process() -> Ancestry {
    #[cfg(unix)]
    let parent = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get().cast_unsigned());
    #[cfg(not(unix))]
    let parent = None;
    let mut found = parent.map(upwards_from).unwrap_or_default();
    // Where nothing is seen of the parent, its pid still tells it from the parents of others.
    if let (true, Some(pid)) = (found.processes.is_empty(), parent) {
        let nameless = Ancestor { pid, session: 0, comm: String::new(), argv: Vec::new(), identity: None };
        found.processes.push(nameless);
    }
    found
}

/// `pid` and the processes above it, as far as they can be seen.
#[cfg(target_os = "linux")]
pub(super) fn upwards_from(pid: u32) -> Ancestry {
    let mut found = Ancestry::default();
    let (mut pid, mut child_start_ticks) = (pid, u64::MAX);
    while found.processes.len() < ANCESTORS_MAX {
        let Some((ancestor, parent, start_ticks)) = seen_above(pid) else { break };
        // No process is younger than its child: the real parent ended, and its pid was given away meanwhile.
        if start_ticks > child_start_ticks {
            break;
        }
        found.processes.push(ancestor);
        if parent == 0 {
            found.is_whole = !may_deceive();
            break;
        }
        (pid, child_start_ticks) = (parent, start_ticks);
    }
    found
}

/// Whether what is seen from here may not be so. In a user namespace of its own, an ordinary user may enter a pid namespace
/// and see no ancestors, or mount something over what tells of them. A container that a service of the system started
/// shares the machine's.
#[cfg(target_os = "linux")]
fn may_deceive() -> bool {
    /// The inode of the machine's own user namespace, which the kernel numbers by a constant.
    const MACHINES: &str = "user:[4026531837]";

    std::fs::read_link("/proc/self/ns/user").map_or(true, |link| link.as_os_str() != MACHINES)
}

/// A process with its parent and its start.
#[cfg(target_os = "linux")]
fn seen_above(pid: u32) -> Option<(Ancestor, u32, u64)> {
    let seen = crate::liveness::seen(pid)?;
    let identity = crate::liveness::identify_as(pid, &seen);
    Some((
        Ancestor { pid, session: seen.session, comm: seen.comm, argv: argv_of(pid), identity },
        seen.parent,
        seen.start_ticks,
    ))
}

/// The process that has `pid` now, as one of its own ancestors.
#[cfg(target_os = "linux")]
pub(super) fn one(pid: u32) -> Option<Ancestor> {
    seen_above(pid).map(|(ancestor, ..)| ancestor)
}

/// Nothing can be seen of other processes here.
#[cfg(not(target_os = "linux"))]
pub(super) fn upwards_from(_pid: u32) -> Ancestry {
    Ancestry::default()
}

/// Nothing can be seen of processes here.
#[cfg(not(target_os = "linux"))]
pub(super) fn one(_pid: u32) -> Option<Ancestor> {
    None
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
