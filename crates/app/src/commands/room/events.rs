//! The log of a room: the audit trail, and how a new owner finds out what was going on; and remarks that go into it.

use std::collections::{BTreeMap, BTreeSet};

use baton_core::{
    code::ErrorCode,
    event::Event,
    ids::{AgentId, RoomId, Seq},
    inbox::Category,
    lease::Fence,
    limits,
    room::Room,
};
use baton_store::{
    engine::Tx,
    former,
    log::{self, Order},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    app::Request,
    bounds::Page,
    presence,
    table::{Effect, Place, Tier, UseCase},
    view::RoomEvent,
};

/// `room.events`
pub struct Events;

/// Which events.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EventsInput {
    pub room_id: RoomId,
    /// Oldest first, after this event_seq
    pub after: Option<Seq>,
    /// Newest first, before this one
    pub before: Option<Seq>,
    /// 1 to 200; default 20
    pub limit: Option<u32>,
    /// Only releases and passes
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub handoffs: bool,
    /// Only these event types
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
}

impl EventsInput {
    /// The newest events of a room.
    pub fn in_room(room: &RoomId) -> Self {
        let room_id = room.clone();
        Self { room_id, after: None, before: None, limit: None, handoffs: false, types: Vec::new() }
    }
}

/// A page of events.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct GetRoomEventsResult {
    pub room_id: RoomId,
    pub turn_id: Fence,
    pub events: Vec<RoomEvent>,
    pub has_more: bool,
    /// Where the next page starts: pass it as `after` if you used that, else as `before`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Seq>,
    /// What the agents on this page are called.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<AgentId, String>,
}

impl UseCase for Events {
    const NAME: &'static str = "room.events";
    const PLACE: Place = Place::Tool("get_room_events", Tier::Daily);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str =
        "Read a room's log, newest first, or only its handoffs: after a takeover, to reconstruct the context.";
    type Input = EventsInput;
    type Output = GetRoomEventsResult;

    fn perform(app: &App, caller: &Caller, input: EventsInput) -> Result<GetRoomEventsResult, Failure> {
        let limit = input.limit.unwrap_or(limits::EVENTS_DEFAULT);
        check(&input, limit)?;
        let only = Only::of(&input)?;
        let (room, (found, mut agents)) = presence::read(app, caller, &input.room_id, |tx, room, _| {
            let found = find(tx, room, &input, only.as_ref(), limit)?;
            let agents = names(tx, room, &found.events)?;
            Ok((found, agents))
        })?;
        let mut page = Page::default();
        let count = found.events.len();
        let events: Vec<RoomEvent> =
            found.events.into_iter().take(limit as usize).take_while(|event| page.takes(event)).collect();
        let is_cut = events.len() < count;
        let cursor = events.last().filter(|_| is_cut).map(|event| event.event_seq).or(found.ended_at);
        let has_more = is_cut || found.ended_at.is_some();
        let has = |event: &RoomEvent, id: &AgentId| {
            [&event.from_agent_id, &event.to_agent_id].into_iter().flatten().any(|other| other == id)
        };
        agents.retain(|id, _| events.iter().any(|event| has(event, id)));
        Ok(GetRoomEventsResult { room_id: room.id, turn_id: room.turn, events, has_more, cursor, agents })
    }
}

/// The types of events that are asked for.
struct Only {
    /// As they are stored.
    stored: Vec<&'static str>,
    /// As they are shown, where that is more exact: messages are stored under one type and shown by category.
    shown: Vec<String>,
}

impl Only {
    /// Nothing, when all are asked for.
    fn of(input: &EventsInput) -> Result<Option<Self>, Failure> {
        let handoffs = ["stick.release", "stick.pass"].iter().filter(|_| input.handoffs).map(|kind| (*kind).to_owned());
        let words: Vec<String> = handoffs.chain(input.types.iter().cloned()).collect();
        if words.is_empty() {
            return Ok(None);
        }
        let (mut stored, mut shown) = (Vec::new(), Vec::new());
        for (place, word) in words.iter().enumerate() {
            let kinds: Vec<&'static str> =
                Event::types().map(|kind| kind.name).filter(|kind| is_shown_as(kind, word)).collect();
            if kinds.is_empty() {
                return Err(unknown_type(place - usize::from(input.handoffs) * 2, word));
            }
            stored.extend(kinds);
            shown.push(word.clone());
        }
        Ok(Some(Self { stored, shown }))
    }

    fn takes(&self, event: &RoomEvent, kind: &str) -> bool {
        self.shown.iter().any(|word| *word == event.event_type || *word == kind)
    }
}

/// Whether events that are stored as `kind` may be shown as `word`.
fn is_shown_as(kind: &str, word: &str) -> bool {
    let by_protocol = match word {
        _ if Category::ALL.iter().any(|category| category.as_str() == word) => "message.send",
        "INCURSION" if kind == "scope.edit" => "scope.edit",
        "INCURSION" => "scope.incursion",
        "RESUME" => "agent.resume",
        _ => word,
    };
    kind == by_protocol || RoomEvent::word(kind) == word
}

/// Queries that one call makes to find events of some types. What is rarer is found by calling on from the cursor.
const QUERIES: usize = 20;
/// Events that such a query looks at, and how many it answers with at most.
const STRETCH: u64 = 5_000;
const ROWS: u32 = 500;

/// Events that were found, one more than fits on a page where there are so many.
struct Found {
    events: Vec<RoomEvent>,
    /// The place where the look ended before the log did.
    ended_at: Option<Seq>,
}

/// Finds what is asked for.
fn find(tx: &mut dyn Tx, room: &Room, input: &EventsInput, only: Option<&Only>, limit: u32) -> Result<Found, Failure> {
    if let Some(only) = only {
        return find_only(tx, room, input, only, limit as usize);
    }
    let recorded = match input.after {
        Some(after) => log::after(tx, &room.id, after, limit + 1)?,
        None => log::before(tx, &room.id, input.before, limit + 1)?,
    };
    Ok(Found { events: RoomEvent::all_of(tx, room, &recorded)?, ended_at: None })
}

/// Finds events of some types, stretch by stretch: there is no index by type, and the log may be long.
fn find_only(tx: &mut dyn Tx, room: &Room, input: &EventsInput, only: &Only, limit: usize) -> Result<Found, Failure> {
    let (is_forward, end) = (input.after.is_some(), Seq(room.last_seq.0 + 1));
    // Whatever a caller gives, beyond the end there is nothing.
    let (mut after, mut before) = (input.after.unwrap_or_default().min(end), input.before.unwrap_or(end).min(end));
    let mut events = Vec::new();
    for _ in 0..QUERIES {
        if after.0 + 1 >= before.0 || events.len() > limit {
            return Ok(Found { events, ended_at: None });
        }
        let (from, to, order) = if is_forward {
            (after, Seq(before.0.min(after.0 + STRETCH + 1)), Order::OldestFirst)
        } else {
            (Seq(after.0.max(before.0.saturating_sub(STRETCH + 1))), before, Order::NewestFirst)
        };
        let rows = log::of_types(tx, &room.id, &only.stored, (from, to), (order, ROWS))?;
        for (event, recorded) in RoomEvent::all_of(tx, room, &rows)?.into_iter().zip(&rows) {
            if only.takes(&event, recorded.event.kind()) {
                events.push(event);
            }
        }
        let cut_at = rows.last().filter(|_| rows.len() as u32 == ROWS).map(|recorded| recorded.seq);
        if is_forward {
            after = cut_at.unwrap_or(Seq(to.0 - 1));
        } else {
            before = cut_at.unwrap_or(Seq(from.0 + 1));
        }
    }
    Ok(Found { events, ended_at: Some(if is_forward { after } else { before }) })
}

/// Names of the agents of a page: those that they have or had.
fn names(tx: &mut dyn Tx, room: &Room, events: &[RoomEvent]) -> Result<BTreeMap<AgentId, String>, Failure> {
    let ids: BTreeSet<&AgentId> =
        events.iter().flat_map(|event| [&event.from_agent_id, &event.to_agent_id]).flatten().collect();
    let mut names = BTreeMap::new();
    for id in ids {
        let name = match room.member(id) {
            Some(member) => Some(member.display_name.clone()),
            None => former::last(tx, &room.id, id)?.map(|former| former.name),
        };
        names.extend(name.map(|name| (id.clone(), name)));
    }
    Ok(names)
}

fn unknown_type(place: usize, word: &str) -> Failure {
    let word: String = word.chars().take(limits::SHOWN_INPUT_CHARS).collect();
    let known: BTreeSet<&str> = Event::types().map(|kind| kind.name).collect();
    Failure::new(ErrorCode::InvalidInput, format!("types[{place}]: {word:?} is no type of event."))
        .with("field", format!("types[{place}]"))
        .with("known_types", known.into_iter().collect::<Vec<_>>())
        .advising("Use one of `known_types`, or the `event_type` of an event that you were shown.")
}

fn check(input: &EventsInput, limit: u32) -> Result<(), Failure> {
    if !(1..=limits::EVENTS_MAX).contains(&limit) {
        let message = format!("limit must be from 1 to {}.", limits::EVENTS_MAX);
        return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", "limit"));
    }
    if input.after.is_some() && input.before.is_some() {
        let message = "Give either after or before, not both.";
        return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", "before"));
    }
    Ok(())
}

/// `room.note`
pub struct Note;

/// What to note.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoteInput {
    pub room_id: RoomId,
    /// At most 16 KiB
    pub text: String,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// Where the note is.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct AppendNoteResult {
    pub room_id: RoomId,
    pub event_seq: Seq,
}

impl UseCase for Note {
    const NAME: &'static str = "room.note";
    const PLACE: Place = Place::Tool("append_note", Tier::Full);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str =
        "Leave a note in the room's log without holding the stick. It wakes nobody and changes no ownership.";
    type Input = NoteInput;
    type Output = AppendNoteResult;

    fn perform(app: &App, caller: &Caller, input: NoteInput) -> Result<AppendNoteResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            change.decide(|room, call| room.note(call, &input.text, caller.authority_in(&input.room_id)))?;
            Ok(AppendNoteResult { room_id: change.room.id.clone(), event_seq: change.room.last_seq })
        })
    }
}
