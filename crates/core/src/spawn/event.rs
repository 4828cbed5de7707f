//! What happens to requests to spawn, and to what agents may do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ApprovalId, Grants, SpecDigest};
use crate::{
    envelope::Payload,
    event::{Concern, events},
    ids::{AgentId, AnchorId},
    job::{JobId, Priority, Routing},
    task::TaskId,
};

events! {
    /// An agent asked for another one.
    "spawn.request" => Requested,
    /// It gets it.
    "spawn.approve" => Approved,
    /// It does not.
    "spawn.deny" => Denied,
    /// What an agent may do was decided.
    "agent.grant" => Granted,
}

/// An agent that is asked for: a job, and the envelope that it begins with.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NodeSpec {
    /// What, in a line.
    pub title: String,
    /// What, in full.
    pub prompt: String,
    /// What sort of work.
    pub kind: String,
    /// What it is here for.
    pub role: Option<String>,
    /// How urgent.
    pub priority: Priority,
    /// The task it is for.
    pub task: Option<TaskId>,
    /// The part of the map it is about.
    pub anchor: Option<AnchorId>,
    /// Who may do it.
    pub routing: Routing,
    /// What it may do.
    pub grants: Grants,
    /// What it is handed first.
    pub payload: Payload,
    /// The pack that comes with that.
    pub context_ref: Option<String>,
}

/// An agent asked for another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Requested {
    /// The number of the request.
    pub approval: ApprovalId,
    /// What is asked for.
    pub spec: Box<NodeSpec>,
    /// Whether a person who steers asked, who may do everything.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_operator: bool,
}

/// It gets it.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Approved {
    /// Which request.
    pub approval: ApprovalId,
    /// Who asked.
    pub requested_by: AgentId,
    /// The job that it is.
    pub job: JobId,
    /// Whether the room's policy decided.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_policy: bool,
    /// What was changed before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modified: Vec<String>,
    /// The digest of what was made, changes included. Events from before there were digests have none.
    pub digest: Option<SpecDigest>,
    /// What was said to it.
    pub reason: Option<String>,
}

/// It does not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Denied {
    /// Which request.
    pub approval: ApprovalId,
    /// Who asked.
    pub requested_by: AgentId,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What an agent may do was decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Granted {
    /// Who.
    pub agent_id: AgentId,
    /// What.
    pub grants: Grants,
}

impl Event {
    /// Whom it concerns besides the actor.
    pub(crate) fn subject(&self) -> Option<&AgentId> {
        match self {
            Self::Requested(_) => None,
            Self::Approved(approved) => Some(&approved.requested_by),
            Self::Denied(denied) => Some(&denied.requested_by),
            Self::Granted(granted) => Some(&granted.agent_id),
        }
    }

    /// The digest of what was approved, if it was.
    pub fn approved_digest(&self) -> Option<&SpecDigest> {
        match self {
            Self::Approved(approved) => approved.digest.as_ref(),
            Self::Requested(_) | Self::Denied(_) | Self::Granted(_) => None,
        }
    }

    /// Who should hear of it first. Whoever asked is told in its inbox.
    pub(crate) fn concerns(&self) -> Concern<'_> {
        Concern::Nobody
    }
}
