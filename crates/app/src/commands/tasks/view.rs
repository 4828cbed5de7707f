//! A task as callers see it.

use baton_core::{
    ids::{AgentId, RoomId},
    room::Room,
    task::{State, Task, TaskId},
    time::Timestamp,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Failure, unit::Change};

/// Something to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskView {
    pub task: TaskId,
    pub title: String,
    pub state: State,
    pub assignee: Option<AgentId>,
    /// What people call the assignee.
    pub assignee_agent: Option<String>,
    /// Where; empty means anywhere.
    pub scopes: Vec<String>,
    /// When it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition_of_done: Option<String>,
    /// How to make sure, step by step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verification: Vec<String>,
    pub created_by: AgentId,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl TaskView {
    pub(crate) fn of(task: &Task, room: &Room) -> Self {
        let name = |agent: &AgentId| room.member(agent).map(|member| member.display_name.clone());
        Self {
            task: task.id,
            title: task.title.clone(),
            state: task.state,
            assignee: task.assignee.clone(),
            assignee_agent: task.assignee.as_ref().and_then(name),
            scopes: task.scopes.clone(),
            definition_of_done: task.definition_of_done.clone(),
            verification: task.verification.clone(),
            created_by: task.created_by.clone(),
            created_at: task.created_at,
            updated_at: task.updated_at,
        }
    }
}

/// A task, and where it is.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct TaskResult {
    pub room_id: RoomId,
    #[serde(flatten)]
    pub task: TaskView,
}

impl TaskResult {
    /// The task as it is in a room that is being changed.
    pub(crate) fn now(change: &mut Change<'_>, id: TaskId) -> Result<Self, Failure> {
        let task = required(change, id)?;
        Ok(Self { room_id: change.room.id.clone(), task: TaskView::of(&task, &change.room) })
    }
}

/// A task that must be there.
pub(super) fn required(change: &mut Change<'_>, id: TaskId) -> Result<Task, Failure> {
    change.store.find::<Task>(&id)?.cloned().ok_or_else(|| Failure::unknown_task(&id.to_string()))
}
