//! Bringing delegated work together in one report.

use baton_core::{
    code::ErrorCode,
    event::Event,
    ids::RoomId,
    job::{Job, JobId, merge},
    library::{CardDraft, CardKind},
    limits,
    reference::Reference,
    task::TaskId,
};
use baton_store::{jobs, log};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CardView, card_create::keep, snapshot};
use crate::{
    App, Caller, Failure,
    app::Request,
    proof, refs,
    table::{Effect, Place, TASKS, UseCase},
    unit::Change,
};

/// `tasks.macro.merge_report`
pub struct MergeReport;

/// Whose work.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MergeReportInput {
    pub room_id: RoomId,
    /// JOB-001 …; at most 32
    pub jobs: Vec<JobId>,
    /// The task it belongs to; default the one you have turned to
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Keep it in view; default true
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin: Option<bool>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
