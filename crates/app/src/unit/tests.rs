//! Every type of event reaches every row that it concerns, although the use case looked at none of them, and every reader
//! that has words for it. `every_event.jsonl` has them all.

use std::collections::BTreeSet;

use baton_core::{
    event::{Event, Recorded},
    ids::{AgentId, RoomId, Seq},
    lease::Fence,
    process::{Liveness, ProcessIdentity, SessionKind},
    protocol::Project,
    room::{Actor, Room},
    search::searchable,
    time::{Timestamp, Ttl},
};
use baton_store::{Store, log, rooms};
use baton_testkit::{Backend, Place};
use serde::Deserialize;
use serde_json::Value;

use super::{Change, Fold, Whole};
use crate::{
    Failure,
    view::RoomEvent,
    wording::{self, Piece},
};

/// A line of the story: an event as it is stored. Its place in the log is its line.
#[derive(Deserialize)]
struct Line {
    actor: AgentId,
    #[serde(rename = "type")]
    kind: String,
    payload: Value,
}

/// The time of the first event. Each of the others is a minute after the one before it.
const START: Timestamp = Timestamp::from_millis(1_767_225_600_000);

/// The room of the story.
const ROOM: Project<'_> = Project { root: Some("/repo"), earlier_events: 0 };

/// Types of events that are only read: no row and nothing in the room is another after them.
const ONLY_READ: [&str; 4] = ["room.note", "scope.incursion", "scope.edit", "turn.tools"];

/// Types of events with a text that nobody looks for.
const NOT_SEARCHED: [&str; 12] = [
    "action.submit",
    "conversation.task",
    "inbox.accept",
    "job.applied",
    "job.branched",
    "job.canceled",
    "job.requeued",
    "room.close",
    "spawn.approve",
    "spawn.deny",
    "stick.claim",
    "stick.takeover",
];

/// The fields in which events say something to people.
const TEXTS: [&str; 7] = ["title", "text", "message", "summary", "reason", "note", "body"];

/// Every type of event, each in a room in which it changes something.
fn story() -> Vec<(AgentId, Event)> {
    include_str!("every_event.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .map(|Line { actor, kind, payload }| {
            let event = Event::read(&kind, &payload.to_string()).unwrap_or_else(|error| panic!("{error:?}: {payload}"));
            (actor, event)
        })
        .collect()
}

/// The story as a log.
fn story_log() -> Vec<Recorded> {
    let place = |(seq, (actor, event))| Recorded {
        overridden: false,
        room_id: "room_1".parse().unwrap(),
        seq: Seq(seq),
        at: START.plus(Ttl::from_secs(60 * (seq - 1))),
        actor,
        turn: Fence(0),
        event,
    };
    (1..).zip(story()).map(place).collect()
}

/// The types of those events of the story for which `test` holds.
fn types_of(test: impl Fn(&Recorded) -> bool) -> BTreeSet<&'static str> {
    story_log().iter().filter(|recorded| test(recorded)).map(|recorded| recorded.event.kind()).collect()
}

fn open(store: &Store, first: &Recorded) -> Result<(), Failure> {
    store.write(|tx| {
        rooms::insert(tx, &Room::open(first).expect("the story begins with a room"))?;
        Ok(log::append(tx, first)?)
    })
}

/// Records an event in a change that has looked at nothing.
fn record(store: &Store, room: &RoomId, at: Timestamp, (actor, event): (AgentId, Event)) -> Result<Recorded, Failure> {
    store.write(|tx| {
        let before = rooms::load(tx, room)?.ok_or_else(|| Failure::unknown_room(room))?;
        let actor = Actor::found(actor.clone(), None, SessionKind::McpHarness);
        let witness = |_: &ProcessIdentity| Liveness::Unknown;
        let mut change = Change::new(tx, before.clone().into(), at, &actor, &witness);
        let recorded = change.record(event.clone())?;
        change.save(&before)?;
        Ok(recorded)
    })
}

fn whole(store: &Store, room: &RoomId) -> Whole {
    store.read(|tx| Whole::load(tx, room)).unwrap()
}

/// Compares what is stored with the fold of the log so far.
fn compare(stored: &Whole, log: &[Recorded]) -> Result<(), Failure> {
    let mut fold = Fold::default();
    log.iter().try_for_each(|recorded| fold.add(recorded))?;
    fold.require(stored)
}

#[test]
fn the_story_has_every_type_of_event() {
    let told: BTreeSet<_> = story().iter().map(|(_, event)| event.kind()).collect();
    let known: BTreeSet<_> = Event::types().map(|known| known.name).collect();
    let missing: Vec<_> = known.difference(&told).collect();
    assert!(missing.is_empty(), "add these to every_event.jsonl, after what they change: {missing:?}");
}

#[test]
fn an_event_changes_every_row_that_it_concerns_though_nobody_looked_at_any() {
    for backend in Backend::ALL {
        let place = Place::new(*backend);
        let store = place.open();
        let mut story = story_log().into_iter();
        let first = story.next().expect("the story is not empty");
        let room_id = first.room_id.clone();
        open(&store, &first).unwrap();
        let mut log = vec![first];
        let mut before = whole(&store, &room_id);
        let mut changing = BTreeSet::from([log[0].event.kind()]);
        for next in story {
            let (seq, kind) = (next.seq, next.event.kind());
            let recorded = record(&store, &room_id, next.at, (next.actor, next.event));
            log.push(recorded.unwrap_or_else(|failure| panic!("{backend:?}, {kind} at {seq}: {failure}")));
            let after = whole(&store, &room_id);
            compare(&after, &log).unwrap_or_else(|failure| panic!("{backend:?}, {kind} at {seq}: {}", failure.message));
            before.room.last_seq = after.room.last_seq;
            if before.without_presence() != after.clone().without_presence() {
                changing.insert(kind);
            }
            before = after;
        }
        let idle: Vec<_> = Event::types().map(|known| known.name).filter(|kind| !changing.contains(kind)).collect();
        assert_eq!(idle, ONLY_READ, "{backend:?}: these change nothing");
    }
}

#[test]
fn every_type_of_event_has_a_sentence() {
    let silent = types_of(|recorded| {
        let event = RoomEvent::of(recorded, ROOM);
        let unknown = [Piece::Words(event.event_type.clone()), Piece::Label("Event")];
        wording::sentence(&event).iter().any(|piece| unknown.contains(piece))
    });
    assert!(silent.is_empty(), "add a sentence for these to wording.rs: {silent:?}");
}

#[test]
fn a_text_of_an_event_is_found_by_a_search() {
    let unfound = types_of(|recorded| {
        let payload: Value = serde_json::from_str(&recorded.event.payload().unwrap()).unwrap();
        let has_text = TEXTS.iter().any(|field| payload.get(field).is_some());
        has_text && searchable(recorded).is_none()
    });
    assert_eq!(Vec::from_iter(unfound), NOT_SEARCHED, "add these to searchable() in search.rs, or to NOT_SEARCHED");
}
