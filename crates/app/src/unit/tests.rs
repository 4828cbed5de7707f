//! Every type of event reaches every row that it concerns, although the use case looked at none of them.

use std::collections::BTreeSet;

use baton_core::{
    event::{Event, Recorded},
    ids::{AgentId, RoomId, Seq},
    lease::Fence,
    process::{Liveness, ProcessIdentity, SessionKind},
    room::{Actor, Room},
    time::{Timestamp, Ttl},
};
use baton_store::{Store, log, rooms};
use baton_testkit::{Backend, Place};
use serde::Deserialize;
use serde_json::Value;

use super::{Change, Fold, Whole};
use crate::Failure;

/// A line of the story: an event as it is stored. Its place in the log is its line.
#[derive(Deserialize)]
struct Line {
    actor: AgentId,
    #[serde(rename = "type")]
    kind: String,
    payload: Value,
}

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

/// Compares what is stored with the fold of the log so far.
fn compare(store: &Store, log: &[Recorded]) -> Result<(), Failure> {
    let mut fold = Fold::default();
    log.iter().try_for_each(|recorded| fold.add(recorded))?;
    fold.require(&store.read(|tx| Whole::load(tx, &log[0].room_id))?)
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
        let mut story = story().into_iter();
        let (actor, event) = story.next().expect("the story is not empty");
        let start = Timestamp::from_millis(1_767_225_600_000);
        let room_id: RoomId = "room_1".parse().unwrap();
        let first = Recorded {
            overridden: false,
            room_id: room_id.clone(),
            seq: Seq(1),
            at: start,
            actor,
            turn: Fence(0),
            event,
        };
        open(&store, &first).unwrap();
        let mut log = vec![first];
        let mut gaps = Vec::new();
        for (minute, next) in (1..).zip(story) {
            let kind = next.1.kind();
            let recorded = record(&store, &room_id, start.plus(Ttl::from_secs(60 * minute)), next);
            log.push(recorded.unwrap_or_else(|failure| panic!("{backend:?}, {kind}: {failure}")));
            if let Err(failure) = compare(&store, &log) {
                gaps.push(format!("{kind} at {}: {}", minute + 1, failure.message));
                break;
            }
        }
        assert_eq!(gaps, [""; 0], "{backend:?}");
    }
}
