//! Starting, finishing and assigning tasks.

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

/// `tasks.assign`
pub struct Assign;

/// Whose it is to be.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AssignInput {
    pub room_id: RoomId,
    /// TASK-001
    pub task: TaskId,
    /// Name or id; without it nobody has it any more
    pub assignee: Option<String>,
    /// Repeat a call safely: the same key gets the first answer
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
