//! The log of a room: the audit trail, and how a new owner finds out what was going on.

use baton_core::{
    ids::{RoomId, Seq},
    lease::Fence,
    limits,
};
use baton_store::{log, rooms};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    bounds::Page,
    presence::{self, Effort},
    table::{Effect, Place, Tier, UseCase},
    view::RoomEvent,
};

/// `room.events`
pub struct Events;

/// Which events.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EventsInput {
    pub room_id: RoomId,
    /// Only events after this event_seq, oldest first
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Seq>,
    /// Only events before this one, newest first (the default)
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Seq>,
    /// 1 to 200; default 20
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// A page of events.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct GetRoomEventsResult {
    pub room_id: RoomId,
    pub turn_id: Fence,
    pub events: Vec<RoomEvent>,
    pub has_more: bool,
    /// Where the next page starts: pass it as `after` or `before`, whichever you used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Seq>,
}

impl UseCase for Events {
    const NAME: &'static str = "room.events";
    const PLACE: Place = Place::Tool("get_room_events", Tier::Daily);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str =
        "Read a room's log, newest first, with all handoffs. Call it after a takeover to reconstruct the context.";
    type Input = EventsInput;
    type Output = GetRoomEventsResult;

    fn perform(app: &App, caller: &Caller, input: EventsInput) -> Result<GetRoomEventsResult, Failure> {
        let limit = input.limit.unwrap_or(limits::EVENTS_DEFAULT);
        check(&input, limit)?;
        let (mut room, mut found, now) = app.store.read(|tx| {
            let room = rooms::load(tx, &input.room_id)?.ok_or_else(|| Failure::unknown_room(&input.room_id))?;
            let events = match input.after {
                Some(after) => log::after(tx, &room.id, after, limit + 1)?,
                None => log::before(tx, &room.id, input.before, limit + 1)?,
            };
            Ok::<_, Failure>((room, events, tx.now()?))
        })?;
        presence::refresh(app, caller, &mut room, now, Effort::Try)?;
        let mut has_more = found.len() > limit as usize;
        found.truncate(limit as usize);
        let mut events = Vec::new();
        let mut page = Page::default();
        for recorded in &found {
            let event = RoomEvent::of(recorded, room.canonical_path.as_deref());
            if !page.takes(&event) {
                has_more = true;
                break;
            }
            events.push(event);
        }
        let next = events.last().filter(|_| has_more).map(|event| event.event_seq);
        Ok(GetRoomEventsResult { room_id: room.id, turn_id: room.turn, events, has_more, next })
    }
}

fn check(input: &EventsInput, limit: u32) -> Result<(), Failure> {
    use baton_core::code::ErrorCode::InvalidInput;
    if !(1..=limits::EVENTS_MAX).contains(&limit) {
        let message = format!("limit must be from 1 to {}.", limits::EVENTS_MAX);
        return Err(Failure::new(InvalidInput, message).with("field", "limit"));
    }
    if input.after.is_some() && input.before.is_some() {
        let message = "Give either after or before, not both.";
        return Err(Failure::new(InvalidInput, message).with("field", "before"));
    }
    Ok(())
}
