//! Delegating with a task that says when it is done.

use baton_core::{
    code::ErrorCode,
    ids::{AnchorId, RoomId},
    job::{Choice, ExpectedArtifact, Isolation, Policy, Profile},
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
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DelegateInput {
    pub room_id: RoomId,
    pub title: String,
    /// What to do, in full
    pub prompt: String,
    /// An existing task; without it one is created
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition_of_done: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verification: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<AnchorId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_priority: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executor: Option<Choice>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executor_profile: Option<Profile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected_artifacts: Vec<ExpectedArtifact>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolation: Option<Isolation>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
