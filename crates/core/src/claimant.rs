//! The party behind a claim on a job, or behind a runner's id: an agent, and the process or credential that it acts by.
//!
//! Ids of agents, runners and revisions can be read in the log, so knowing them proves nothing. Reports are believed from
//! the exact process that made the claim, or from the holder of the credential that it was made with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    ids::AgentId,
    process::ProcessIdentity,
    room::{Actor, Occupant},
};

/// The process or credential that an agent acts by. Both are unknown in logs of earlier versions, and of callers of whom
/// nothing can be seen.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Backing {
    /// The exact process. In a box, because most events of jobs and runners have none.
    pub process: Option<Box<ProcessIdentity>>,
    /// The credential, by name.
    pub via: Option<String>,
}

/// An agent that made a claim, and its backing at that time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimant {
    /// The agent.
    pub agent: AgentId,
    /// Its process or credential.
    pub backing: Backing,
}

impl Backing {
    /// The backing of a caller.
    pub fn of(actor: &Actor) -> Self {
        Self { process: actor.process.clone().map(Box::new), via: actor.via.as_deref().map(str::to_owned) }
    }

    /// Whether both are one process; where there is none, one credential.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.process, &other.process) {
            (Some(one), Some(other)) => one.same_process(other),
            (None, None) => self.via == other.via,
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    /// The process or credential, as a refusal names it; `None` where nothing is known of it.
    pub fn occupant(&self) -> Option<Occupant> {
        let process = self.process.as_deref().map(Occupant::process);
        process.or_else(|| self.via.as_deref().map(Occupant::credential))
    }
}

/// The process or credential after a name, in brackets, where one is known.
pub(crate) fn in_brackets(occupant: Option<&Occupant>) -> String {
    occupant.map(|occupant| format!(" ({})", occupant.describe())).unwrap_or_default()
}

/// An agent of whose process and credential nothing is known.
impl From<AgentId> for Claimant {
    fn from(agent: AgentId) -> Self {
        Self { agent, backing: Backing::default() }
    }
}

impl Claimant {
    /// A caller as the party to a claim.
    pub fn of(actor: &Actor) -> Self {
        Self { agent: actor.agent_id.clone(), backing: Backing::of(actor) }
    }

    /// Whether both are one agent with one backing.
    pub fn is_same(&self, other: &Self) -> bool {
        self.agent == other.agent && self.backing.is_same(&other.backing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Timestamp;

    fn process(pid: u32) -> ProcessIdentity {
        ProcessIdentity {
            host_id: "host".to_owned(),
            boot_id: "boot".to_owned(),
            pid_namespace: 1,
            pid,
            start_ticks: 7,
            pidfd_inode: None,
            process_started_at: Timestamp::default(),
            keeps: None,
        }
    }

    fn claimant(agent: &str, pid: Option<u32>, via: Option<&str>) -> Claimant {
        let backing = Backing { process: pid.map(process).map(Box::new), via: via.map(str::to_owned) };
        Claimant { agent: agent.parse().unwrap(), backing }
    }

    #[test]
    fn an_agent_is_the_claimant_only_in_the_process_or_with_the_credential_that_claimed() {
        let by_process = claimant("ana", Some(1), None);
        assert!(by_process.is_same(&claimant("ana", Some(1), None)));
        assert!(!by_process.is_same(&claimant("ben", Some(1), None)), "agents share a process");
        assert!(!by_process.is_same(&claimant("ana", Some(2), None)), "processes share an id");
        assert!(!by_process.is_same(&claimant("ana", None, None)), "nothing is known of the caller");
        let by_credential = claimant("ana", None, Some("laptop"));
        assert!(by_credential.is_same(&claimant("ana", None, Some("laptop"))));
        assert!(!by_credential.is_same(&claimant("ana", None, Some("phone"))));
        assert!(!by_credential.is_same(&claimant("ana", None, None)));
    }
}
