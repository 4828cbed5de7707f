//! Requests to spawn, and what agents may do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Event, Granted, Requested};
use crate::{
    event::{self, Recorded},
    ids::{AgentId, Seq},
    job::JobId,
    number::numbered,
    part::{Part, Rows, Touched},
    room::Room,
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

impl Part for Approval {
    type Key = ApprovalId;

    fn key(&self) -> ApprovalId {
        self.id
    }

    fn touched(event: &Recorded, _before: &Room) -> Touched<ApprovalId> {
        match &event.event {
            event::Event::Spawn(Event::Approved(approved)) => Touched::row(approved.approval),
            event::Event::Spawn(Event::Denied(denied)) => Touched::row(denied.approval),
            _ => Touched::Nothing,
        }
    }

    fn apply(rows: &mut Rows<Self>, event: &Recorded, _before: &Room) {
        match &event.event {
            event::Event::Spawn(Event::Requested(requested)) => rows.put(Self::of(event, requested)),
            event::Event::Spawn(Event::Approved(approved)) => rows.change(&approved.approval, |approval| {
                approval.job = Some(approved.job);
                approval.decided(event, ApprovalStatus::Approved, approved.reason.as_ref());
            }),
            event::Event::Spawn(Event::Denied(denied)) => rows.change(&denied.approval, |approval| {
                approval.job = None;
                approval.decided(event, ApprovalStatus::Denied, denied.reason.as_ref());
            }),
            _ => {}
        }
    }
}

impl Part for Grant {
    type Key = AgentId;

    fn key(&self) -> AgentId {
        self.agent_id.clone()
    }

    fn touched(event: &Recorded, _before: &Room) -> Touched<AgentId> {
        match &event.event {
            event::Event::Spawn(Event::Granted(granted)) => Touched::row(granted.agent_id.clone()),
            _ => Touched::Nothing,
        }
    }

    fn apply(rows: &mut Rows<Self>, event: &Recorded, _before: &Room) {
        if let event::Event::Spawn(Event::Granted(Granted { agent_id, grants })) = &event.event {
            rows.put(Self { agent_id: agent_id.clone(), grants: *grants, seq: event.seq });
        }
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

    fn decided(&mut self, recorded: &Recorded, status: ApprovalStatus, reason: Option<&String>) {
        (self.status, self.reason) = (status, reason.cloned());
        self.decided_by = Some(recorded.actor.clone());
        self.decided_at = Some(recorded.at);
    }
}
