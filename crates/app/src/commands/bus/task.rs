//! Saying how far a task of a conversation is.

use baton_core::{
    bus::{BusId, ContextDraft, TaskReport, TaskStatus},
    ids::{RoomId, Seq},
};
use baton_store::bus as store;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::known;
use crate::{
    App, Caller, Failure,
    app::Request,
    change::Change,
    table::{BUS, Effect, Place, UseCase},
};

/// `bus.task`
pub struct TaskUpdate;

/// How far it is.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
    pub task_id: BusId,
    /// running, blocked, ready or done
    pub status: TaskStatus,
    /// The conversation it belongs to
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_id: Option<BusId>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// That it was told.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct TaskResult {
    pub room_id: RoomId,
    pub task_id: BusId,
    pub status: TaskStatus,
    /// Its event.
    pub seq: Seq,
}

impl UseCase for TaskUpdate {
    const NAME: &'static str = "bus.task";
    const PLACE: Place = Place::Portal(&BUS);
    const WIRE: Option<&'static str> = Some("task.update");
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Say how far a conversation's task is.";
    type Input = TaskInput;
    type Output = TaskResult;

    fn perform(app: &App, caller: &Caller, input: TaskInput) -> Result<TaskResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        let (task_id, context_id) = (input.task_id.clone(), input.context_id.clone());
        let said = TaskReport { task_id, status: input.status, summary: None, context_id };
        app.change(caller, &request, &input.room_id, |change| report(change, &said))
    }
}

/// Records how far a task is, in a room that is being changed.
pub(super) fn report(change: &mut Change<'_>, report: &TaskReport) -> Result<TaskResult, Failure> {
    change.require_open()?;
    let before = store::task(change.tx, &change.room.id, &report.task_id)?;
    // It stays with its conversation, if another is not named.
    let context_id = report.context_id.clone().or_else(|| before.as_ref()?.context_id.clone());
    let report = TaskReport { context_id, ..report.clone() };
    let context = ContextDraft { context_id: report.context_id.clone(), ..ContextDraft::default() };
    let known = known(change, Some(&context))?;
    let event = report.decide(&change.room, change.actor, &known, before.as_ref())?;
    let recorded = change.record(event)?;
    Ok(TaskResult {
        room_id: change.room.id.clone(),
        task_id: report.task_id.clone(),
        status: report.status,
        seq: recorded.seq,
    })
}
