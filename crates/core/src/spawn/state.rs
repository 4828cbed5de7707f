//! Requests to spawn, and what agents may do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Event, Granted, Requested};
use crate::{
    event::{self, Recorded},
    ids::{AgentId, Seq},
    job::JobId,
    number::numbered,
    time::Timestamp,
    words::words,
};

numbered!(
    /// The number of a request that somebody has to approve, written `APPROVAL-1`.
    ApprovalId,
    "APPROVAL-",
    "1",
    "an approval's"
);

words! {
    /// How far a request is.
    ApprovalStatus {
        /// Nobody has decided.
        Pending "pending",
        /// It is done.
        Approved "approved",
        /// It is not.
        Denied "denied",
    }
}

/// What an agent may do beyond what all may, and what it may not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Grants {
    /// Whether it may ask for further agents
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spawn_nodes: bool,
    /// Whether it may only look, and change no file
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
}

impl Grants {
    /// Whether they are what every agent may do.
    pub fn are_usual(&self) -> bool {
        *self == Self::default()
    }

    /// What a person may do.
    pub const ALL: Self = Self { spawn_nodes: true, read_only: false };

    /// As much of it as `parent` may do too.
    #[must_use]
    pub const fn within(self, parent: Self) -> Self {
        Self { spawn_nodes: self.spawn_nodes && parent.spawn_nodes, read_only: self.read_only || parent.read_only }
    }
}

/// A request, less what it asks for: that is in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    /// Its number.
    pub id: ApprovalId,
    /// Who asked.
    pub requested_by: AgentId,
    /// For what, in a line.
    pub title: String,
    /// How far it is.
    pub status: ApprovalStatus,
    /// The job that came of it.
    pub job: Option<JobId>,
    /// Who decided.
    pub decided_by: Option<AgentId>,
    /// What was said to it.
    pub reason: Option<String>,
    /// Its event.
    pub seq: Seq,
    /// When it was asked for.
    pub requested_at: Timestamp,
    /// When it was decided.
    pub decided_at: Option<Timestamp>,
}

/// What an agent may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Who.
    pub agent_id: AgentId,
    /// What.
    pub grants: Grants,
    /// Since which event.
    pub seq: Seq,
}

/// The requests of a room and what its agents may do, as folding its log gives them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spawns {
    /// In the order of their numbers.
    pub approvals: Vec<Approval>,
    /// In the order of the agents.
    pub grants: Vec<Grant>,
}

impl Spawns {
    /// The request with this number.
    pub fn find(&self, id: ApprovalId) -> Option<&Approval> {
        self.approvals.binary_search_by_key(&id, |approval| approval.id).ok().map(|place| &self.approvals[place])
    }

    /// Folds an event that was decided on. Events of other parts change nothing.
    pub fn apply(&mut self, recorded: &Recorded) {
        let event::Event::Spawn(event) = &recorded.event else { return };
        match event {
            Event::Requested(requested) => self.approvals.push(Approval::of(recorded, requested)),
            Event::Approved(approved) => {
                let reason = approved.reason.as_ref();
                self.decide(approved.approval, recorded, ApprovalStatus::Approved, Some(approved.job), reason);
            }
            Event::Denied(denied) => {
                self.decide(denied.approval, recorded, ApprovalStatus::Denied, None, denied.reason.as_ref());
            }
            Event::Granted(Granted { agent_id, grants }) => {
                let grant = Grant { agent_id: agent_id.clone(), grants: *grants, seq: recorded.seq };
                match self.grants.binary_search_by(|known| known.agent_id.cmp(agent_id)) {
                    Ok(place) => self.grants[place] = grant,
                    Err(place) => self.grants.insert(place, grant),
                }
            }
        }
    }

    fn decide(
        &mut self,
        id: ApprovalId,
        recorded: &Recorded,
        status: ApprovalStatus,
        job: Option<JobId>,
        reason: Option<&String>,
    ) {
        let Ok(place) = self.approvals.binary_search_by_key(&id, |approval| approval.id) else { return };
        let approval = &mut self.approvals[place];
        (approval.status, approval.job, approval.reason) = (status, job, reason.cloned());
        approval.decided_by = Some(recorded.actor.clone());
        approval.decided_at = Some(recorded.at);
    }
}

impl Approval {
    fn of(recorded: &Recorded, requested: &Requested) -> Self {
        Self {
            id: requested.approval,
            requested_by: recorded.actor.clone(),
            title: requested.spec.title.clone(),
            status: ApprovalStatus::Pending,
            job: None,
            decided_by: None,
            reason: None,
            seq: recorded.seq,
            requested_at: recorded.at,
            decided_at: None,
        }
    }
}
