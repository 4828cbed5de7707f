//! What happens to tasks.

use serde::{Deserialize, Serialize};

use super::TaskId;
use crate::{
    event::{Concern, events},
    ids::AgentId,
};

events! {
    /// It was written down.
    "task.create" => Created,
    /// Somebody began it.
    "task.start" => Started,
    /// It is done.
    "task.done" => Done,
    /// It became somebody's, or nobody's.
    "task.assign" => Assigned,
}

/// It was written down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Created {
    /// Its number.
    pub task: TaskId,
    /// What is to be done.
    pub title: String,
    /// Where.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// By whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<AgentId>,
}

/// Somebody began it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Started {
    /// Which.
    pub task: TaskId,
    /// Who.
    pub assignee: AgentId,
    /// Where, if that is said only now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
}

/// It is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// Which.
    pub task: TaskId,
}

/// It became somebody's, or nobody's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assigned {
    /// Which.
    pub task: TaskId,
    /// Whose it was.
    pub from: Option<AgentId>,
    /// Whose it is.
    pub to: Option<AgentId>,
}

impl Event {
    /// Which task it is about.
    pub fn task(&self) -> TaskId {
        match self {
            Self::Created(created) => created.task,
            Self::Started(started) => started.task,
            Self::Done(done) => done.task,
            Self::Assigned(assigned) => assigned.task,
        }
    }

    /// Whom it concerns besides the actor.
    pub(crate) fn subject(&self) -> Option<&AgentId> {
        match self {
            Self::Created(created) => created.assignee.as_ref(),
            Self::Started(started) => Some(&started.assignee),
            Self::Done(_) => None,
            Self::Assigned(assigned) => assigned.to.as_ref(),
        }
    }

    /// Who should hear of it first. No wait for the stick ends by it.
    pub(crate) fn concerns(&self) -> Concern<'_> {
        Concern::Nobody
    }
}
