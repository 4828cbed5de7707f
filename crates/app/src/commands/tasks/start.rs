//! Beginning a task.

use baton_core::{ids::RoomId, task::TaskId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{TaskResult, create::scopes, view::required};
use crate::{
    App, Caller, Failure,
    app::Request,
    table::{Effect, Place, TASKS, UseCase},
};

/// `tasks.start`
pub struct Start;

/// What to begin.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartInput {
    pub room_id: RoomId,
    /// TASK-001
    pub task: TaskId,
    /// Paths it is about, if that is known only now
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

impl UseCase for Start {
    const NAME: &'static str = "tasks.start";
    const PLACE: Place = Place::Portal(&TASKS);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Begin a task. One that nobody has becomes yours.";
    type Input = StartInput;
    type Output = TaskResult;

    fn perform(app: &App, caller: &Caller, input: StartInput) -> Result<TaskResult, Failure> {
        let scopes = scopes(app, &input.room_id, &input.scopes);
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            change.require_agent()?;
            let task = required(change, input.task)?;
            let decided = task.start(&change.actor.agent_id, scopes.as_deref().map_err(Clone::clone)?)?;
            change.record(decided)?;
            TaskResult::now(change, input.task)
        })
    }
}
