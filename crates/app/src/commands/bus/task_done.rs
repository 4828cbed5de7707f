//! Ending a task of a conversation.

use baton_core::{
    bus::{BusId, TaskReport, TaskStatus},
    ids::RoomId,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    TaskResult,
    task::{canonical, report},
};
use crate::{
    App, Caller, Failure,
    app::Request,
    table::{BUS, Effect, Place, UseCase},
};

/// `bus.task_done`
pub struct TaskDone;

/// Which task, and what came of it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskDoneInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
    pub task_id: BusId,
    /// What came of it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The conversation it belongs to
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_id: Option<BusId>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

impl UseCase for TaskDone {
    const NAME: &'static str = "bus.task_done";
    const PLACE: Place = Place::Portal(&BUS);
    const WIRE: Option<&'static str> = Some("task.done");
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "End a conversation's task, with a summary.";
    type Input = TaskDoneInput;
    type Output = TaskResult;

    fn perform(app: &App, caller: &Caller, input: TaskDoneInput) -> Result<TaskResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        let said = TaskReport {
            task_id: canonical(&input.task_id),
            status: TaskStatus::Done,
            summary: input.summary.clone(),
            context_id: input.context_id.clone(),
        };
        app.change(caller, &request, &input.room_id, |change| report(change, caller, &said))
    }
}
