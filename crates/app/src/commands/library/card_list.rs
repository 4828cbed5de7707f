//! What was found out.

use baton_core::{
    ids::{AnchorId, RoomId},
    job::JobId,
    library::{Card, CardId},
    limits,
    task::TaskId,
};
use baton_store::{
    engine::Tx,
    library::{self, Cards},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::CardView;
use crate::{
    App, Caller, Failure,
    bounds::{self, Page},
    presence::{self, Effort},
    table::{Effect, Place, TASKS, UseCase},
};

/// `tasks.card.list`
pub struct CardList;

/// Which cards.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CardListInput {
    pub room_id: RoomId,
    /// Only those of a task
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// Only those about a part of the map
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<AnchorId>,
    /// Only those that came from a job
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
    /// Only those that are kept in view
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// Only older ones
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<CardId>,
    /// 1 to 200; default 25
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
        let (mut room, found, now) = app.store.read(|tx| {
            let room = app.room(tx, &input.room_id)?;
            let found = input.find(tx, limit + 1)?;
            Ok::<_, Failure>((room, found, tx.now()?))
        })?;
        presence::refresh(app, caller, &mut room, now, Effort::Try)?;
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
