//! Several steps in one go: beginning a piece of work, and bringing delegated work together.

use baton_core::{
    code::ErrorCode,
    event::Event,
    ids::RoomId,
    job::{Job, JobId, merge},
    library::{CardDraft, CardKind},
    limits,
    reference::Reference,
    task::{Drafted, Task, TaskId},
};
use baton_store::{jobs, log, tasks};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CardView, cards::keep, focus::turn_to, snapshot};
use crate::{
    App, Caller, Failure,
    app::Request,
    commands::tasks::{TaskResult, scopes},
    proof, refs,
    table::{Effect, Place, TASKS, UseCase},
    unit::Change,
};

/// `tasks.macro.start`
pub struct MacroStart;

/// What is to be done.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MacroStartInput {
    pub room_id: RoomId,
    pub title: String,
    /// When it is done
    pub definition_of_done: Option<String>,
    /// How to make sure, step by step
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verification: Vec<String>,
    /// Paths it is about
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

impl UseCase for MacroStart {
    const NAME: &'static str = "tasks.macro.start";
    const PLACE: Place = Place::Portal(&TASKS);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Create a task, begin it and turn to it.";
    type Input = MacroStartInput;
    type Output = TaskResult;

    fn perform(app: &App, caller: &Caller, input: MacroStartInput) -> Result<TaskResult, Failure> {
        let scopes = scopes(app, &input.room_id, &input.scopes);
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            // A task that somebody is at is a member's: others must be able to ask for it.
            change.require_agent()?;
            let drafted = Drafted {
                title: input.title.clone(),
                scopes: scopes.clone()?,
                assignee: None,
                definition_of_done: input.definition_of_done.clone(),
                verification: input.verification.clone(),
            };
            let id = tasks::next_id(change.store.tx()?, &change.room.id)?;
            change.record(drafted.create(id)?)?;
            let task = change.store.find::<Task>(&id)?.ok_or_else(|| Failure::unknown_id(id))?;
            let decided = task.start(&change.actor.agent_id, &[])?;
            change.record(decided)?;
            turn_to(change, Some(id))?;
            TaskResult::now(change, id)
        })
    }
}

/// `tasks.macro.merge_report`
pub struct MergeReport;

/// Whose work.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MergeReportInput {
    pub room_id: RoomId,
    /// JOB-001 …; at most 32
    pub jobs: Vec<JobId>,
    /// The task it belongs to; default the one you have turned to
    pub task: Option<TaskId>,
    pub title: Option<String>,
    /// Keep it in view; default true
    pub pin: Option<bool>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// The report, as a card.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct MergeReportResult {
    pub room_id: RoomId,
    /// The card that has it.
    #[serde(rename = "ref")]
    #[schemars(with = "String")]
    pub reference: Reference,
    pub card: CardView,
    /// The report itself.
    pub text: String,
}

impl UseCase for MergeReport {
    const NAME: &'static str = "tasks.macro.merge_report";
    const PLACE: Place = Place::Portal(&TASKS);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Bring what several jobs did together in one pinned report.";
    type Input = MergeReportInput;
    type Output = MergeReportResult;

    fn perform(app: &App, caller: &Caller, input: MergeReportInput) -> Result<MergeReportResult, Failure> {
        let mut ids = input.jobs.clone();
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() || ids.len() > limits::MERGED_JOBS {
            let message = format!("jobs: must name 1 to {} jobs.", limits::MERGED_JOBS);
            return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", "jobs"));
        }
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            let task = match input.task {
                Some(task) => Some(task),
                None => snapshot::focus(change.store.tx()?, &change.room.id, caller)?,
            };
            let parts = parts(change, &ids)?;
            let title = input.title.clone().unwrap_or_else(|| merge::title(&ids));
            let draft = CardDraft {
                kind: CardKind::Report,
                text: merge::report(title.trim(), task, &parts),
                title,
                tags: vec!["merge-report".to_owned()],
                pinned: input.pin.unwrap_or(true),
                task,
                anchor: None,
                job: None,
                refs: ids.iter().copied().map(Reference::Job).collect(),
            };
            let kept = keep(change, &draft)?;
            let reference = Reference::Card(kept.card.card);
            Ok(MergeReportResult { room_id: kept.room_id, reference, card: kept.card, text: draft.text })
        })
    }
}

/// What the report says of each job, in the order of their numbers.
fn parts(change: &mut Change<'_>, ids: &[JobId]) -> Result<Vec<merge::Part>, Failure> {
    let room = change.room.id.clone();
    let named: Vec<Reference> = ids.iter().copied().map(Reference::Job).collect();
    refs::require(change.store.tx()?, &room, &named)?;
    let found = jobs::find_all(change.store.tx()?, &room, ids)?;
    let asked: Vec<_> = found.iter().filter(|job| job.needs_manager()).map(|job| job.last_question).collect();
    let questions = log::find_all(change.store.tx()?, &room, &asked)?;
    let question = |job: JobId| {
        let event = questions.iter().find(|recorded| recorded.event.job() == Some(job));
        event.and_then(|recorded| match &recorded.event {
            Event::Job(event) => Some(event.message().to_owned()),
            _ => None,
        })
    };
    let part = |job: Job| {
        let proof = proof::recorded(change.store.tx()?, &room, &job)?;
        Ok(merge::Part { question: question(job.id), proof, job })
    };
    found.into_iter().map(part).collect()
}
