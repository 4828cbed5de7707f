//! Splitting one intent into a job for each part of the map, all or none.

use baton_core::{
    code::ErrorCode,
    ids::{AnchorId, RoomId},
    job::{Choice, JobId, Policy, Profile},
    limits,
    reference::Reference,
    task::TaskId,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{CreateInput, create::create};
use crate::{
    App, Caller, Failure,
    app::Request,
    commands::spawn::bounded,
    table::{Access, Effect, Permission, Place, TASKS, UseCase},
};

/// `tasks.macro.fanout_jobs`
pub struct Fanout;

/// What is to be done everywhere.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FanoutInput {
    pub room_id: RoomId,
    /// Default: the task you turned to
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// 1 to 10 of them
    pub anchors: Vec<AnchorId>,
    /// Before the anchor in each title
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title_prefix: Option<String>,
    pub prompt: String,
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
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
