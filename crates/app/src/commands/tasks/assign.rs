//! Giving a task to somebody.

use baton_core::{ids::RoomId, task::TaskId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{TaskResult, view::required};
use crate::{
    App, Caller, Failure,
    app::Request,
    table::{Effect, Place, TASKS, UseCase},
};

/// `tasks.assign`
pub struct Assign;

/// Whose it is to be.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AssignInput {
    pub room_id: RoomId,
    /// TASK-001
    pub task: TaskId,
    /// Name or id; without it nobody has it any more
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

impl UseCase for Assign {
    const NAME: &'static str = "tasks.assign";
    const PLACE: Place = Place::Portal(&TASKS);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Give a task to an agent, or to nobody.";
    type Input = AssignInput;
    type Output = TaskResult;

    fn perform(app: &App, caller: &Caller, input: AssignInput) -> Result<TaskResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            change.require_agent()?;
            let task = required(change, input.task)?;
            let to = input.assignee.as_deref().map(|named| change.named(named)).transpose()?;
            change.record(task.assign(to.as_ref())?)?;
            TaskResult::now(change, input.task)
        })
    }
}
