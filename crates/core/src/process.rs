//! What identifies a process, and what can be known about whether it still runs.
//!
//! A pid is reused; a process is boot + pid namespace + pid + start ticks. The answer to "is it alive?" is
//! one of three, and only proof lets others act before a timeout. How the answer is found is the app's
//! business (`baton_app::liveness`); here it is only weighed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// One exact process, on one host, in one boot.
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pidfd_inode: Option<u64>,
    /// When it started, for people; comparisons use the ticks.
    pub process_started_at: Timestamp,
    /// Set for a guardian: the terminal session that it keeps the stick for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
    /// Whether both name the same process, whatever was rounded in the display time.
    pub fn same_process(&self, other: &Self) -> bool {
        let inodes_agree = match (self.pidfd_inode, other.pidfd_inode) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        };
        inodes_agree
            && self.pid == other.pid
            && self.start_ticks == other.start_ticks
            && self.pid_namespace == other.pid_namespace
            && self.boot_id == other.boot_id
            && self.host_id == other.host_id
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
