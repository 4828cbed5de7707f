//! What became of what the caller sent.

use baton_core::{
    bus,
    event::Event,
    ids::{BeadId, RoomId, Seq},
    inbox::{Category, Item},
    limits,
    room::Room,
    time::Timestamp,
};
use baton_store::{StoreError, bus as store_bus, engine::Tx, inbox, log};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DeliveryView, view::words};
use crate::{
    App, Caller, Failure,
    bounds::{self, Page},
    commands::envelope::known_as,
    presence,
    table::{Effect, INBOX, Place, UseCase},
};

/// `inbox.sent`
pub struct Sent;

/// Which messages.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SentInput {
    pub room_id: RoomId,
    /// Only those that wait to be accepted
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub waiting: bool,
    /// Only older ones
    pub before: Option<Seq>,
    /// Deliveries, 1 to 200; default 25
    pub limit: Option<u32>,
}

/// Messages, newest first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct SentResult {
    pub room_id: RoomId,
    pub messages: Vec<SentView>,
    /// Whether there are more: ask again with `before` the last one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_more: bool,
}

/// A message and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SentView {
    pub message: Seq,
    pub category: Category,
    pub to_agent: String,
    pub subject: String,
    pub bead_id: Option<BeadId>,
    pub requires_ack: bool,
    pub sent_at: Timestamp,
    pub deliveries: Vec<DeliveryView>,
}

impl UseCase for Sent {
    const NAME: &'static str = "inbox.sent";
    const PLACE: Place = Place::Portal(&INBOX);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "What became of what you sent.";
    type Input = SentInput;
    type Output = SentResult;

    fn perform(app: &App, caller: &Caller, input: SentInput) -> Result<SentResult, Failure> {
        let limit = bounds::limit(input.limit, limits::INBOX_DEFAULT, limits::INBOX_MAX)?;
        let you = caller.actor().agent_id;
        let (room, (messages, cut)) = presence::read(app, caller, &input.room_id, |tx, room, _| {
            let items = match input.waiting {
                true => inbox::unanswered(tx, &room.id, &you, input.before, limit + 1)?,
                false => inbox::sent(tx, &room.id, &you, input.before, limit + 1)?,
            };
            let cut = items.len() > limit as usize;
            let mut messages = became_of(tx, room, items)?;
            // The last one may lack some of its deliveries; the next page has it whole.
            if cut && messages.len() > 1 {
                messages.pop();
            }
            Ok((messages, cut))
        })?;
        let (mut page, found) = (Page::default(), messages.len());
        let messages: Vec<SentView> = messages.into_iter().take_while(|view| page.takes(view)).collect();
        let has_more = cut || messages.len() < found;
        Ok(SentResult { room_id: room.id, messages, has_more })
    }
}

/// Items, newest first, by the messages they are of.
pub(crate) fn became_of(tx: &mut dyn Tx, room: &Room, items: Vec<Item>) -> Result<Vec<SentView>, StoreError> {
    let mut places: Vec<Seq> = items.iter().map(|item| item.message).collect();
    places.dedup();
    let events = log::find_all(tx, &room.id, &places)?;
    let mut messages: Vec<SentView> = Vec::new();
    for item in items {
        let mut delivery = DeliveryView::of(&item, known_as(tx, room, &item.recipient)?);
        // An action is acknowledged by a result, and the note is what was said to that.
        let event = events.iter().find(|recorded| recorded.seq == item.message).map(|recorded| &recorded.event);
        if let Some(Event::Bus(bus::Event::Submitted(submitted))) = event {
            let action = store_bus::action_by_id(tx, &room.id, &submitted.action_id)?;
            delivery.result = action.as_ref().and_then(|action| action.status);
            delivery.note = delivery.note.or_else(|| action.and_then(|action| action.detail));
        }
        if let Some(last) = messages.last_mut().filter(|last| last.message == item.message) {
            last.deliveries.push(delivery);
            continue;
        }
        let recorded = events.iter().find(|recorded| recorded.seq == item.message);
        let Some(words) = recorded.and_then(|recorded| words(recorded, room)) else { continue };
        messages.push(SentView {
            message: item.message,
            category: item.category,
            to_agent: words.to_agent,
            subject: words.subject,
            bead_id: words.bead_id,
            requires_ack: item.requires_ack,
            sent_at: item.queued_at,
            deliveries: vec![delivery],
        });
    }
    Ok(messages)
}
