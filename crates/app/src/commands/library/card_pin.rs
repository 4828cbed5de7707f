//! Putting a card where it is seen.

use baton_core::{
    ids::RoomId,
    library::{Card, CardId, CardPinned, Event},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CardResult, CardView};
use crate::{
    App, Caller, Failure,
    app::Request,
    table::{Effect, Place, TASKS, UseCase},
};

/// `tasks.card.pin`
pub struct CardPin;

/// Which card.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CardPinInput {
    pub room_id: RoomId,
    /// CARD-1
    pub card: CardId,
    /// false takes it out of view; default true
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
