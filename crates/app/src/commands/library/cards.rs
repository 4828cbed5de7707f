//! Findings: keeping, listing and pinning them.

use baton_core::{
    ids::{AnchorId, RoomId},
    job::{Job, JobId},
    library::{Card, CardDraft, CardId, CardKind, CardPinned, Event},
    limits,
    reference::Reference,
    task::TaskId,
};
use baton_store::{
    engine::Tx,
    library::{self, Cards},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CardResult, CardView};
use crate::{
    App, Caller, Failure,
    app::Request,
    bounds::{self, Page},
    presence, refs,
    table::{Effect, Place, TASKS, UseCase},
    unit::Change,
};

/// `tasks.card.create`
pub struct CardCreate;

/// What was found.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CardCreateInput {
    pub room_id: RoomId,
    pub title: String,
    /// The finding itself
    pub text: String,
    /// Default note
    pub kind: Option<CardKind>,
    /// Words to find it by
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Keep it in view
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// The task it belongs to; default that of your job
    pub task: Option<TaskId>,
    /// The part of the map it is about; default that of your job
    pub anchor: Option<AnchorId>,
    /// The job it came from; default the one you work on
    pub job: Option<JobId>,
    /// What it points to: CARD-1, JOB-001@17, CMD: cargo test …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<String>,
    /// Repeat a call safely: the same key gets the first answer
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

/// `tasks.card.list`
pub struct CardList;

/// Which cards.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CardListInput {
    pub room_id: RoomId,
    /// Only those of a task
    pub task: Option<TaskId>,
    /// Only those about a part of the map
    pub anchor: Option<AnchorId>,
    /// Only those that came from a job
    pub job: Option<JobId>,
    /// Only those that are kept in view
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// Only older ones
    pub before: Option<CardId>,
    /// 1 to 200; default 25
    pub limit: Option<u32>,
}

/// Cards, newest first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct CardListResult {
    pub room_id: RoomId,
    pub cards: Vec<CardView>,
    /// Whether there are more: ask again with `before` the last one.
    pub has_more: bool,
}

impl UseCase for CardList {
    const NAME: &'static str = "tasks.card.list";
    const PLACE: Place = Place::Portal(&TASKS);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "List cards, newest first. `open` shows a card's text.";
    type Input = CardListInput;
    type Output = CardListResult;

    fn perform(app: &App, caller: &Caller, input: CardListInput) -> Result<CardListResult, Failure> {
        let limit = bounds::limit(input.limit, limits::CARDS_DEFAULT, limits::CARDS_MAX)?;
        let (room, found) = presence::read(app, caller, &input.room_id, |tx, _, _| input.find(tx, limit + 1))?;
        let cards = Page::default().fill(&found, limit, CardView::from);
        let has_more = cards.len() < found.len();
        Ok(CardListResult { cards, room_id: room.id, has_more })
    }
}

impl CardListInput {
    /// The first `most` cards that are meant. One filter is the index that is read along; the others leave out what does
    /// not fit them, so it is read on until there are enough.
    fn find(&self, tx: &mut dyn Tx, most: u32) -> Result<Vec<Card>, Failure> {
        let which = match (self.job, self.task, &self.anchor, self.pinned) {
            (Some(job), ..) => Cards::OfJob(job),
            (None, Some(task), ..) => Cards::OfTask(task),
            (None, None, Some(anchor), _) => Cards::OfAnchor(anchor),
            (None, None, None, true) => Cards::Pinned,
            (None, None, None, false) => Cards::All,
        };
        let (mut found, mut before) = (Vec::new(), self.before);
        loop {
            let some = library::cards(tx, &self.room_id, which, before, most)?;
            let (read, last) = (some.len(), some.last().map(|card| card.id));
            found.extend(some.into_iter().filter(|card| self.is_met_by(card)));
            if read < most as usize || found.len() >= most as usize {
                found.truncate(most as usize);
                return Ok(found);
            }
            before = last;
        }
    }

    fn is_met_by(&self, card: &Card) -> bool {
        let task = self.task.is_none_or(|task| card.task == Some(task));
        let anchor = self.anchor.as_ref().is_none_or(|anchor| card.anchor.as_ref() == Some(anchor));
        task && anchor && (card.pinned || !self.pinned)
    }
}

/// `tasks.card.pin`
pub struct CardPin;

/// Which card.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CardPinInput {
    pub room_id: RoomId,
    /// CARD-1
    pub card: CardId,
    /// false takes it out of view; default true
    pub pinned: Option<bool>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

impl UseCase for CardPin {
    const NAME: &'static str = "tasks.card.pin";
    const PLACE: Place = Place::Portal(&TASKS);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Keep a card in view, or take it out of view.";
    type Input = CardPinInput;
    type Output = CardResult;

    fn perform(app: &App, caller: &Caller, input: CardPinInput) -> Result<CardResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            let pinned = input.pinned.unwrap_or(true);
            let found = change.store.find::<Card>(&input.card)?.cloned();
            let mut card = found.ok_or_else(|| Failure::unknown_id(input.card))?;
            if card.pinned != pinned {
                change.record(Event::CardPinned(CardPinned { card: input.card, pinned }))?;
                card.pinned = pinned;
            }
            Ok(CardResult { room_id: change.room.id.clone(), card: CardView::from(&card) })
        })
    }
}
