//! Delegating with a task that says when it is done, and splitting one intent into a job for each part of the map.

use baton_core::{
    code::ErrorCode,
    ids::{AnchorId, RoomId},
    job::{Choice, ExpectedArtifact, Isolation, JobId, Policy, Profile},
    limits,
    reference::Reference,
    task::{Drafted, TaskId},
};
use baton_store::tasks;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    CreateInput, JobView,
    create::create,
    view::{required, view},
};
use crate::{
    App, Caller, Failure,
    app::Request,
    commands::spawn::bounded,
    table::{Access, Effect, Permission, Place, TASKS, UseCase},
    unit::Change,
};

/// When a delegated task is done, unless its creator says so.
const DONE_WHEN: &str = "The delegated job is DONE, and its refs lead to what changed and to the proof of it.";
/// How that is verified, unless its creator says so.
const VERIFY: [&str; 2] = ["Open the job's refs and read the evidence.", "Run the commands in its CMD: receipts."];

/// `tasks.macro.delegate`
pub struct Delegate;

/// What is to be done.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DelegateInput {
    pub room_id: RoomId,
    pub title: String,
    /// What to do, in full
    pub prompt: String,
    /// An existing task; without it one is created
    pub task: Option<TaskId>,
    pub definition_of_done: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verification: Vec<String>,
    pub anchor: Option<AnchorId>,
    pub job_kind: Option<String>,
    pub job_priority: Option<String>,
    pub executor: Option<Choice>,
    pub executor_profile: Option<Profile>,
    pub policy: Option<Policy>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected_artifacts: Vec<ExpectedArtifact>,
    pub isolation: Option<Isolation>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// The task and the job.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct DelegateResult {
    pub room_id: RoomId,
    pub task: TaskId,
    /// The job's first event.
    #[serde(rename = "ref")]
    #[schemars(with = "String")]
    pub reference: Reference,
    pub job: JobView,
}

impl UseCase for Delegate {
    const NAME: &'static str = "tasks.macro.delegate";
    const PLACE: Place = Place::Portal(&TASKS);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access {
        job_agent: Permission::Limited("if granted, no more than itself"),
        ..Access::limited("no more than itself")
    };
    const ABOUT: &'static str = "Delegate work as a task with a definition of done and a job for it.";
    type Input = DelegateInput;
    type Output = DelegateResult;

    fn perform(app: &App, caller: &Caller, input: DelegateInput) -> Result<DelegateResult, Failure> {
        input.check()?;
        let (mut draft, wishes) = (input.job().draft()?, input.job().wishes()?);
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        let delegated = app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            let task = match input.task {
                Some(task) => task,
                None => input.create_task(change)?,
            };
            draft.task = Some(task);
            let draft = bounded(change, caller, &draft, wishes)?;
            let created = create(change, &draft)?;
            let job = required(change, created.job)?;
            let job = view(change, &job)?;
            Ok(DelegateResult { room_id: change.room.id.clone(), task, reference: created.reference(), job })
        })?;
        app.job_was_queued(&delegated.room_id);
        Ok(delegated)
    }
}

impl DelegateInput {
    /// Refuses what an existing task would not take on: when it is done was said when it was written down.
    fn check(&self) -> Result<(), Failure> {
        let said = [
            ("definition_of_done", self.definition_of_done.is_some()),
            ("verification", !self.verification.is_empty()),
        ];
        match said.into_iter().find(|(_, said)| *said) {
            Some((field, _)) if self.task.is_some() => {
                let message = format!("{field}: goes with a new task only; leave it out, or leave out task");
                Err(Failure::new(ErrorCode::InvalidInput, message).with("field", field))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn job(&self) -> CreateInput {
        CreateInput {
            room_id: self.room_id.clone(),
            title: self.title.clone(),
            prompt: self.prompt.clone(),
            kind: self.job_kind.clone(),
            priority: self.job_priority.clone(),
            task: self.task,
            anchor: self.anchor.clone(),
            executor: self.executor,
            executor_profile: self.executor_profile,
            policy: self.policy.clone(),
            expected_artifacts: self.expected_artifacts.clone(),
            isolation: self.isolation,
            meta: self.meta.clone(),
            idempotency_key: None,
        }
    }

    fn create_task(&self, change: &mut Change<'_>) -> Result<TaskId, Failure> {
        let steps = self.verification.clone();
        let drafted = Drafted {
            title: self.title.clone(),
            scopes: Vec::new(),
            assignee: None,
            definition_of_done: Some(self.definition_of_done.clone().unwrap_or_else(|| DONE_WHEN.to_owned())),
            verification: if steps.is_empty() { VERIFY.map(str::to_owned).to_vec() } else { steps },
        };
        let id = tasks::next_id(change.store.tx()?, &change.room.id)?;
        change.record(drafted.create(id)?)?;
        Ok(id)
    }
}

/// `tasks.macro.fanout_jobs`
pub struct Fanout;

/// What is to be done everywhere.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FanoutInput {
    pub room_id: RoomId,
    /// Default: the task you turned to
    pub task: Option<TaskId>,
    /// 1 to 10 of them
    pub anchors: Vec<AnchorId>,
    /// Before the anchor in each title
    pub title_prefix: Option<String>,
    pub prompt: String,
    pub job_kind: Option<String>,
    pub job_priority: Option<String>,
    pub executor: Option<Choice>,
    pub executor_profile: Option<Profile>,
    pub policy: Option<Policy>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// The jobs, in the order of their anchors.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct FanoutResult {
    pub room_id: RoomId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    pub jobs: Vec<Fanned>,
}

/// One of the jobs.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Fanned {
    pub job: JobId,
    pub anchor: AnchorId,
    /// Its first event.
    #[serde(rename = "ref")]
    #[schemars(with = "String")]
    pub reference: Reference,
}

impl UseCase for Fanout {
    const NAME: &'static str = "tasks.macro.fanout_jobs";
    const PLACE: Place = Place::Portal(&TASKS);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access {
        job_agent: Permission::Limited("if granted, no more than itself"),
        ..Access::limited("no more than itself")
    };
    const ABOUT: &'static str = "Create one job for each anchor from one prompt.";
    type Input = FanoutInput;
    type Output = FanoutResult;

    fn perform(app: &App, caller: &Caller, input: FanoutInput) -> Result<FanoutResult, Failure> {
        let mut anchors = input.anchors.clone();
        anchors.sort();
        anchors.dedup();
        if anchors.is_empty() || input.anchors.len() > limits::FANOUT_ANCHORS {
            let message = format!("anchors: name 1 to {} of them.", limits::FANOUT_ANCHORS);
            return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", "anchors"));
        }
        let drafted = |anchor| {
            let job = input.job(anchor);
            Ok::<_, Failure>((job.draft()?, job.wishes()?))
        };
        let drafts = anchors.iter().map(drafted).collect::<Result<Vec<_>, _>>()?;
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        let fanned = app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            let task = match input.task {
                Some(task) => Some(task),
                None => change.focus()?,
            };
            let mut jobs = Vec::new();
            for (anchor, (draft, wishes)) in anchors.iter().zip(&drafts) {
                let mut draft = bounded(change, caller, draft, *wishes)?;
                draft.task = task;
                let created = create(change, &draft)?;
                jobs.push(Fanned { job: created.job, anchor: anchor.clone(), reference: created.reference() });
            }
            Ok(FanoutResult { room_id: change.room.id.clone(), task, jobs })
        })?;
        app.job_was_queued(&fanned.room_id);
        Ok(fanned)
    }
}

impl FanoutInput {
    fn job(&self, anchor: &AnchorId) -> CreateInput {
        let title = match &self.title_prefix {
            Some(prefix) => format!("{} {anchor}", prefix.trim()),
            None => format!("Job for {anchor}"),
        };
        CreateInput {
            room_id: self.room_id.clone(),
            title,
            prompt: format!("{}\n\nAnchor: {anchor}", self.prompt),
            kind: self.job_kind.clone(),
            priority: self.job_priority.clone(),
            task: self.task,
            anchor: Some(anchor.clone()),
            executor: self.executor,
            executor_profile: self.executor_profile,
            policy: self.policy.clone(),
            expected_artifacts: Vec::new(),
            isolation: None,
            meta: self.meta.clone(),
            idempotency_key: None,
        }
    }
}
