//! Ending a task.

use baton_core::{ids::RoomId, task::TaskId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{TaskResult, view::required};
use crate::{
    App, Caller, Failure,
    app::Request,
    table::{Effect, Place, TASKS, UseCase},
};

/// `tasks.done`
pub struct Done;

/// What is done.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DoneInput {
    pub room_id: RoomId,
    /// TASK-001
    pub task: TaskId,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

impl UseCase for Done {
    const NAME: &'static str = "tasks.done";
    const PLACE: Place = Place::Portal(&TASKS);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Say that a task is done.";
    type Input = DoneInput;
    type Output = TaskResult;

    fn perform(app: &App, caller: &Caller, input: DoneInput) -> Result<TaskResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            match caller.own_job_in(&input.room_id) {
                Some(_) => change.require_open()?,
                None => change.require_agent()?,
            }
            let task = required(change, input.task)?;
            change.record(task.finish(&change.actor.agent_id)?)?;
            TaskResult::now(change, input.task)
        })
    }
}
