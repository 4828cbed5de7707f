//! What happens to tasks.

use schemars::JsonSchema;
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
    /// Somebody turned to it.
    "task.focus" => Focused,
}

/// It was written down.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Created {
    /// Its number.
    pub task: TaskId,
    /// What is to be done.
    pub title: String,
    /// Where.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// By whom.
    pub assignee: Option<AgentId>,
    /// When it is done.
    pub definition_of_done: Option<String>,
    /// How to make sure of that, step by step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verification: Vec<String>,
}

/// Somebody began it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Done {
    /// Which.
    pub task: TaskId,
}

/// It became somebody's, or nobody's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Assigned {
    /// Which.
    pub task: TaskId,
    /// Whose it was.
    pub from: Option<AgentId>,
    /// Whose it is.
    pub to: Option<AgentId>,
}

/// Somebody turned to it, or away from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Focused {
    /// Which, unless none.
    pub task: Option<TaskId>,
}

impl Event {
    /// Which task it is about.
    pub fn task(&self) -> Option<TaskId> {
        match self {
            Self::Created(created) => Some(created.task),
            Self::Started(started) => Some(started.task),
            Self::Done(done) => Some(done.task),
            Self::Assigned(assigned) => Some(assigned.task),
            Self::Focused(focused) => focused.task,
        }
    }

    /// Whom it concerns besides the actor.
    pub(crate) fn subject(&self) -> Option<&AgentId> {
        match self {
            Self::Created(created) => created.assignee.as_ref(),
            Self::Started(started) => Some(&started.assignee),
            Self::Done(_) | Self::Focused(_) => None,
            Self::Assigned(assigned) => assigned.to.as_ref(),
        }
    }

    /// Who should hear of it first. No wait for the stick ends by it.
    pub(crate) fn concerns(&self) -> Concern<'_> {
        Concern::Nobody
    }
}
