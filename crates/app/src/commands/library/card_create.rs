//! Keeping a finding.

use baton_core::{
    ids::{AnchorId, RoomId},
    job::{Job, JobId},
    library::{Card, CardDraft, CardKind},
    reference::Reference,
    task::TaskId,
};
use baton_store::library;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::CardResult;
use crate::{
    App, Caller, Failure,
    app::Request,
    refs,
    table::{Effect, Place, TASKS, UseCase},
    unit::Change,
};

/// `tasks.card.create`
pub struct CardCreate;

/// What was found.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CardCreateInput {
    pub room_id: RoomId,
    pub title: String,
    /// The finding itself
    pub text: String,
    /// Default note
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<CardKind>,
    /// Words to find it by
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Keep it in view
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// The task it belongs to; default that of your job
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// The part of the map it is about; default that of your job
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<AnchorId>,
    /// The job it came from; default the one you work on
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
    /// What it points to: CARD-1, JOB-001@17, CMD: cargo test …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<String>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

impl UseCase for CardCreate {
    const NAME: &'static str = "tasks.card.create";
    const PLACE: Place = Place::Portal(&TASKS);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Keep a finding: evidence, a decision, a test, a report. Point to it as CARD-1.";
    type Input = CardCreateInput;
    type Output = CardResult;

    fn perform(app: &App, caller: &Caller, input: CardCreateInput) -> Result<CardResult, Failure> {
        let refs = refs::parse(&input.refs)?;
        let own = caller.assignment_in(&input.room_id).map(|assignment| assignment.job);
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            let mut draft = CardDraft {
                kind: input.kind.unwrap_or(CardKind::Note),
                title: input.title.clone(),
                text: input.text.clone(),
                tags: input.tags.clone(),
                pinned: input.pinned,
                task: input.task,
                anchor: input.anchor.clone(),
                job: input.job.or(own),
                refs: refs.clone(),
            };
            if input.job.is_none()
                && let Some(own) = own
                && let Some(job) = change.store.find::<Job>(&own)?
            {
                // What a job finds is for what the job is for.
                draft.task = draft.task.or(job.task);
                draft.anchor = draft.anchor.or_else(|| job.anchor.clone());
            }
            keep(change, &draft)
        })
    }
}

/// Keeps a card, if what it belongs and points to is there.
pub(super) fn keep(change: &mut Change<'_>, draft: &CardDraft) -> Result<CardResult, Failure> {
    change.require_open()?;
    let owners =
        [draft.task.map(Reference::Task), draft.job.map(Reference::Job), draft.anchor.clone().map(Reference::Anchor)];
    let all: Vec<Reference> = owners.into_iter().flatten().chain(draft.refs.iter().cloned()).collect();
    refs::require(change.store.tx()?, &change.room.id, &all)?;
    let id = library::next_card(change.store.tx()?, &change.room.id)?;
    change.record(draft.create(id)?)?;
    let card = change.store.find::<Card>(&id)?.cloned().ok_or_else(|| Failure::unknown_id(id))?;
    Ok(CardResult { room_id: change.room.id.clone(), card: (&card).into() })
}
