//! What identifies a process, and what can be known about whether it still runs.
//!
//! A pid is reused; a process is boot + pid namespace + pid + start ticks. The answer to "is it alive?" is
//! one of three, and only proof lets others act before a timeout. How the answer is found is the app's
//! business (`baton_app::liveness`); here it is only weighed.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// One exact process, on one host, in one boot.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct ProcessIdentity {
    /// The machine.
    pub host_id: String,
    /// The boot of that machine.
    pub boot_id: String,
    /// The pid namespace in which `pid` means something.
    pub pid_namespace: u64,
    /// The process id there.
    pub pid: u32,
    /// Clock ticks between boot and the start of the process.
    pub start_ticks: u64,
    /// The inode of its pidfd, where the kernel numbers them uniquely.
    pub pidfd_inode: Option<u64>,
    /// When it started, for people; comparisons use the ticks.
    pub process_started_at: Timestamp,
    /// Set for a guardian: the terminal session that it keeps the stick for.
    pub keeps: Option<Keeps>,
}

/// The terminal session behind a guardian. Its leader may act under the guardian's grant, because the guardian is there
/// for it alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Keeps {
    /// The terminal, as people know it: `pts/0`.
    pub terminal: String,
    /// The leader of its session, on the guardian's machine and in its pid namespace.
    pub pid: u32,
    /// Clock ticks between boot and the start of the leader.
    pub start_ticks: u64,
    /// The inode of the leader's pidfd, where the kernel numbers them uniquely.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pidfd_inode: Option<u64>,
}

impl ProcessIdentity {
    /// Whether both name the same process. An inode is one process's alone on a host and in a boot, so where both are
    /// known they decide: a start may be shown differently in another time namespace.
    pub fn same_process(&self, other: &Self) -> bool {
        let same_boot = self.boot_id == other.boot_id && self.host_id == other.host_id;
        match (self.pidfd_inode, other.pidfd_inode) {
            (Some(a), Some(b)) => same_boot && a == b,
            _ => {
                same_boot
                    && self.pid == other.pid
                    && self.pid_namespace == other.pid_namespace
                    && same_start(self.start_ticks, other.start_ticks)
            }
        }
    }

    /// Whether a grant to this process is a grant to `other`: the process itself, or for a guardian the leader of the
    /// terminal session that it keeps the stick for.
    pub fn stands_for(&self, other: &Self) -> bool {
        self.same_process(other) || self.leader().is_some_and(|leader| leader.same_process(other))
    }

    /// The leader of the terminal session that a guardian keeps the stick for.
    pub fn leader(&self) -> Option<Self> {
        let Keeps { pid, start_ticks, pidfd_inode, .. } = *self.keeps.as_ref()?;
        Some(Self { pid, start_ticks, pidfd_inode, keeps: None, ..self.clone() })
    }

    /// The process as others are told of it, where it is a guardian.
    pub fn guardian(&self) -> Option<Guardian> {
        Some(Guardian { pid: self.pid, terminal: self.keeps.as_ref()?.terminal.clone() })
    }
}

/// A guardian that keeps the stick for a person: a process, and the terminal of the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Guardian {
    /// Its process id.
    pub pid: u32,
    /// The terminal, as people know it: `pts/0`.
    pub terminal: String,
}

impl fmt::Display for Guardian {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} on {}", self.pid, self.terminal)
    }
}

/// Whether two readings of a start may be of one process. In a time namespace whose offset is no whole number of ticks
/// they are one apart, and nobody is given a pid, ends, and is followed by another within a tick.
pub const fn same_start(ticks: u64, others: u64) -> bool {
    ticks.abs_diff(others) <= 1
}

/// What stands behind a member's presence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SessionKind {
    /// A coding agent's program.
    McpHarness,
    /// A person's shell.
    Human,
    /// The process that `baton hold` keeps for a person.
    HumanGuardian,
    /// A program that runs commands in shells, with neither a terminal nor a known harness. It may be anything but a
    /// person.
    Shell,
}

impl SessionKind {
    /// Whether a person stands behind it.
    pub const fn is_person(self) -> bool {
        match self {
            Self::Human | Self::HumanGuardian => true,
            Self::McpHarness | Self::Shell => false,
        }
    }
}

/// Whether an exact process still runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Liveness {
    /// It was seen running.
    Alive,
    /// It is not running, and this is why we are sure.
    Gone(Proof),
    /// It cannot be seen from here; timeouts decide.
    Unknown,
}

impl Liveness {
    /// Whether there is proof of death.
    pub fn is_gone(&self) -> bool {
        matches!(self, Self::Gone(_))
    }

    /// The proof of death, if there is one.
    pub const fn proof(&self) -> Option<Proof> {
        match self {
            Self::Gone(proof) => Some(*proof),
            Self::Alive | Self::Unknown => None,
        }
    }
}

/// Why a process is certainly gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Proof {
    /// No process has its pid.
    Exited,
    /// It has exited and only waits to be reaped.
    Zombie,
    /// Its pid now belongs to a process that started later.
    PidReused,
    /// Its machine has booted since.
    Rebooted,
}

/// Tells what can be seen of a process. The rules ask it only about the few that a decision turns on.
pub trait Witness {
    /// Whether that exact process still runs.
    fn liveness(&self, process: &ProcessIdentity) -> Liveness;
}

impl<F: Fn(&ProcessIdentity) -> Liveness> Witness for F {
    fn liveness(&self, process: &ProcessIdentity) -> Liveness {
        self(process)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32, start_ticks: u64, pidfd_inode: Option<u64>) -> ProcessIdentity {
        ProcessIdentity {
            host_id: "host_a".to_owned(),
            boot_id: "boot".to_owned(),
            pid_namespace: 1,
            pid,
            start_ticks,
            pidfd_inode,
            process_started_at: Timestamp::from_millis(0),
            keeps: None,
        }
    }

    #[test]
    fn inodes_that_are_known_decide_whatever_pids_and_ticks_say() {
        let one = process(7, 100, Some(31));
        assert!(one.same_process(&process(7, 8_640_100, Some(31))));
        assert!(!one.same_process(&process(7, 100, Some(32))));
        let elsewhere = ProcessIdentity { host_id: "host_b".to_owned(), ..one.clone() };
        let later = ProcessIdentity { boot_id: "next".to_owned(), ..one.clone() };
        assert!(!one.same_process(&elsewhere) && !one.same_process(&later));
    }

    #[test]
    fn without_inodes_a_process_is_its_pid_and_its_start_up_to_rounding() {
        let one = process(7, 100, None);
        let same = [100, 101, 99].map(|ticks| one.same_process(&process(7, ticks, Some(31))));
        assert_eq!(same, [true; 3]);
        assert!(!one.same_process(&process(7, 102, None)) && !one.same_process(&process(8, 100, None)));
        assert!(!one.same_process(&ProcessIdentity { pid_namespace: 2, ..one.clone() }));
    }
}
