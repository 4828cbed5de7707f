//! Tasks of a conversation: saying how far one is, and ending it.

use baton_core::{
    bus::{self, BusId, Conversation, Standing, Task, TaskLead, TaskReport, TaskStatus},
    event::Event,
    ids::{RoomId, Seq},
    job::{Job, JobId, agent_of},
};
use baton_store::{bus as store, log};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    app::Request,
    table::{BUS, Effect, Place, UseCase},
    unit::Change,
};

/// `bus.task`
pub struct TaskUpdate;

/// How far it is.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
    pub task_id: BusId,
    /// running, blocked, ready or done
    pub status: TaskStatus,
    /// The conversation it belongs to
    pub context_id: Option<BusId>,
    /// Repeat a call safely: the same key gets the first answer
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
        let (task_id, context_id) = (canonical(&input.task_id), input.context_id.clone());
        let said = TaskReport { task_id, status: input.status, summary: None, context_id };
        app.change(caller, &request, &input.room_id, |change| report(change, caller, &said))
    }
}

/// Records how far a task is, in a room that is being changed.
pub(super) fn report(change: &mut Change<'_>, caller: &Caller, report: &TaskReport) -> Result<TaskResult, Failure> {
    change.require_open()?;
    let room = change.room.id.clone();
    let status = change.store.find::<Task>(&report.task_id)?.cloned().map(|task| task.status);
    let conversation = match &report.context_id {
        Some(id) => change.store.find::<Conversation>(id)?.cloned(),
        None => None,
    };
    let lead = lead_of(change, &report.task_id)?;
    if let (Some(TaskLead::Job { agent, .. }), Ok(job)) = (&lead, report.task_id.as_str().parse())
        && *agent != change.actor.agent_id
    {
        change.managed_job(caller, job, "its runner says how far it is")?;
    }
    let standing = Standing { lead, status, conversation };
    let event = report.decide(&change.room, change.actor, caller.authority(), &standing)?;
    let recorded = change.record(event)?;
    Ok(TaskResult { room_id: room, task_id: report.task_id.clone(), status: report.status, seq: recorded.seq })
}

/// The name of a task: one that is named like a job has the job's own, and leading zeros do not count.
pub(super) fn canonical(task: &BusId) -> BusId {
    let job = task.as_str().parse::<JobId>().ok();
    job.and_then(|job| job.to_string().parse().ok()).unwrap_or_else(|| task.clone())
}

/// The owner of a task: that of its job, if it is named like one; else that of the conversation that it was named in first, or of
/// whoever spoke of it first in none.
pub(super) fn lead_of(change: &mut Change<'_>, task: &BusId) -> Result<Option<TaskLead>, Failure> {
    let room = change.room.id.clone();
    if let Ok(id) = task.as_str().parse::<JobId>()
        && let Some(job) = change.store.find::<Job>(&id)?.cloned()
    {
        return Ok(Some(TaskLead::Job { agent: agent_of(&room, id), created_by: job.created_by }));
    }
    let known = change.store.find::<Task>(task)?.cloned();
    let conversation = match &known {
        Some(Task { context_id: Some(context), .. }) => change.store.find::<Conversation>(context)?.cloned(),
        Some(Task { context_id: None, .. }) => None,
        None => store::conversation_of_task(change.store.tx()?, &room, task)?,
    };
    if let Some(Conversation { context_id, owner, .. }) = conversation {
        return Ok(Some(TaskLead::Conversation { context_id, owner }));
    }
    let Some(known) = known else { return Ok(None) };
    let owner = match log::find(change.store.tx()?, &room, known.seq)?.map(|recorded| recorded.event) {
        Some(Event::Bus(bus::Event::TaskReported(reported))) => reported.owner,
        Some(_) | None => None,
    };
    Ok(Some(TaskLead::Agent(owner.unwrap_or(known.reported_by))))
}

/// `bus.task_done`
pub struct TaskDone;

/// Which task, and what came of it.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskDoneInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
    pub task_id: BusId,
    /// What came of it
    pub summary: Option<String>,
    /// The conversation it belongs to
    pub context_id: Option<BusId>,
    /// Repeat a call safely: the same key gets the first answer
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
