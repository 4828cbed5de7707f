//! Envelopes and edges as both engines keep them.
#![expect(clippy::unwrap_used, reason = "these are tests; a failed step ends the test")]

use std::collections::BTreeSet;

use baton_core::{
    envelope::{
        Draft, Edge, EdgeRemoved, EdgeSet, Ends, EnvelopeKind, Event, Expectation, Forwarded, Party, Posted, Sent,
    },
    event,
    ids::{RoomId, Seq},
    inbox::{self, Manner, Told},
    part::Rows,
    process::SessionKind,
    time::Timestamp,
};
use baton_store::{
    Store,
    envelopes::{self, Way},
    table,
};
use baton_testkit::rows::{agent, all, assert_events_are_read_back, on_two_rooms, put, read, save};
use serde_json::json;

fn posted(seq: u64, sender: &str, recipient: &str, expectation: Expectation) -> Posted {
    Posted {
        seq: Seq(seq),
        id: format!("p-{seq}").parse().unwrap(),
        kind: if seq.is_multiple_of(2) { EnvelopeKind::Handoff } else { EnvelopeKind::Signal },
        sender: agent(sender),
        recipient: agent(recipient),
        expectation,
        reply_to: agent(sender),
        context_ref: (seq == 3).then(|| "contextpack://pack/789".to_owned()),
        answered_by: None,
        sent_at: Timestamp::from_millis(seq as i64),
    }
}

/// Envelopes and edges.
#[derive(Clone, Debug, Default, PartialEq)]
struct Envelopes {
    posted: Rows<Posted>,
    edges: Rows<Edge>,
}

impl Envelopes {
    fn of(store: &Store, room: &RoomId) -> Self {
        Self { posted: all(store, room), edges: all(store, room) }
    }

    fn put(&self, store: &Store, room: &RoomId) {
        put(store, room, &self.posted);
        put(store, room, &self.edges);
    }
}

fn busy() -> Envelopes {
    use Expectation::{None as Nothing, Optional, Required};
    let mut posted = [
        posted(2, "ana", "bo", Required),
        posted(3, "ana", "cy", Optional),
        posted(5, "bo", "ana", Nothing),
        posted(8, "cy", "bo", Required),
        posted(9, "ana", "bo", Required),
    ];
    posted[0].answered_by = Some(Seq(5));
    posted[3].reply_to = agent("dee");
    let edge = |from, to, both_ways, seq| Edge { from: agent(from), to: agent(to), both_ways, seq: Seq(seq) };
    let edges = [edge("ana", "bo", true, 4), edge("bo", "cy", false, 6)];
    Envelopes { posted: posted.into_iter().collect(), edges: edges.into_iter().collect() }
}

fn places(found: impl IntoIterator<Item = Posted>) -> Vec<u64> {
    found.into_iter().map(|posted| posted.seq.0).collect()
}

#[test]
fn envelopes_and_edges_are_read_back_whole_and_one_by_one() {
    on_two_rooms(|store, one, two| {
        let all = busy();
        all.put(store, one);
        assert_eq!(Envelopes::of(store, one), all);
        assert_eq!(Envelopes::of(store, two), Envelopes::default());
        assert_eq!(read(store, |tx| envelopes::edges(tx, one)), Vec::from_iter(all.edges));
        for known in all.posted.iter() {
            assert_eq!(read(store, |tx| envelopes::by_id(tx, one, &known.id)).as_ref(), Some(known));
            assert_eq!(read(store, |tx| table::find(tx, one, &known.seq)).as_ref(), Some(known));
            assert_eq!(read(store, |tx| envelopes::by_id(tx, two, &known.id)), None);
        }
        assert_eq!(read(store, |tx| envelopes::by_id(tx, one, &"P-2".parse().unwrap())), None, "told apart by case");
    });
}

#[test]
fn an_id_is_there_once_in_a_room() {
    on_two_rooms(|store, one, two| {
        let all = busy();
        all.put(store, one);
        all.put(store, two);
        let mut twice = all.posted.clone();
        twice.put(Posted { seq: Seq(11), ..all.posted.get(&Seq(2)).unwrap().clone() });
        assert!(store.write(|tx| table::save(tx, one, &mut twice.clone())).is_err());
        assert_eq!(Envelopes::of(store, one), all);
    });
}

#[test]
fn what_is_owed_is_found_by_whom_to_whom_and_oldest_first() {
    on_two_rooms(|store, one, two| {
        busy().put(store, one);
        let (ana, bo, cy, dee) = (&agent("ana"), &agent("bo"), &agent("cy"), &agent("dee"));
        assert_eq!(places(read(store, |tx| envelopes::owed(tx, one, 9))), [8, 9]);
        assert_eq!(places(read(store, |tx| envelopes::owed(tx, one, 1))), [8]);
        assert_eq!(places(read(store, |tx| envelopes::owed_by(tx, one, bo, 9))), [8, 9]);
        assert_eq!(places(read(store, |tx| envelopes::owed_by(tx, one, ana, 9))), [0_u64; 0]);
        assert_eq!(places(read(store, |tx| envelopes::owed_to(tx, one, dee, 9))), [8]);
        assert_eq!(places(read(store, |tx| envelopes::owed_to(tx, one, cy, 9))), [0_u64; 0], "it goes to another");
        assert_eq!(places(read(store, |tx| envelopes::owed_between(tx, one, bo, ana))), [9]);
        assert_eq!(places(read(store, |tx| envelopes::owed_between(tx, one, ana, bo))), [0_u64; 0]);
        assert_eq!(places(read(store, |tx| envelopes::concerning(tx, one, ana, 9))), [9]);
        assert_eq!(places(read(store, |tx| envelopes::concerning(tx, one, bo, 1))), [8]);
        assert_eq!(places(read(store, |tx| envelopes::owed(tx, two, 9))), [0_u64; 0]);
    });
}

#[test]
fn what_an_agent_sent_and_got_is_listed_newest_first_and_between_two_in_order() {
    on_two_rooms(|store, one, _| {
        busy().put(store, one);
        let (ana, bo) = (&agent("ana"), &agent("bo"));
        assert_eq!(places(read(store, |tx| envelopes::of_agent(tx, one, (ana, Way::Sent), None, 9))), [9, 3, 2]);
        assert_eq!(places(read(store, |tx| envelopes::of_agent(tx, one, (bo, Way::Received), Some(Seq(9)), 1))), [8]);
        assert_eq!(places(read(store, |tx| envelopes::first_between(tx, one, (ana, bo), Seq(0)))), [2]);
        assert_eq!(places(read(store, |tx| envelopes::first_between(tx, one, (ana, bo), Seq(2)))), [9]);
        assert_eq!(places(read(store, |tx| envelopes::first_between(tx, one, (ana, bo), Seq(9)))), [0_u64; 0]);
        assert_eq!(places(read(store, |tx| envelopes::last_between(tx, one, (ana, bo)))), [9]);
        assert_eq!(places(read(store, |tx| envelopes::last_between(tx, one, (bo, ana)))), [5]);
    });
}

#[test]
fn what_became_of_them_is_stored_as_the_difference() {
    on_two_rooms(|store, one, two| {
        let before = busy();
        for room in [one, two] {
            before.put(store, room);
        }
        let mut after = before.clone();
        after.posted.change(&Seq(9), |posted| posted.answered_by = Some(Seq(12)));
        after.posted.change(&Seq(8), |posted| posted.recipient = agent("eve"));
        after.posted.put(posted(12, "bo", "ana", Expectation::None));
        after.edges.remove(&(agent("ana"), agent("bo")));
        after.edges.change(&(agent("bo"), agent("cy")), |edge| edge.both_ways = true);
        after.edges.put(Edge { from: agent("cy"), to: agent("ana"), both_ways: false, seq: Seq(13) });
        save(store, one, &after.posted);
        save(store, one, &after.edges);
        assert_eq!(Envelopes::of(store, one), after);
        assert_eq!(Envelopes::of(store, two), before);
    });
}

fn events() -> Vec<event::Event> {
    let party = |name: &str| Party { agent_id: agent(name), name: name.to_owned() };
    let draft = Draft::read(&json!({
        "kind": "handoff", "id": "p-1", "fromNodeId": "ana", "toNodeId": "bo", "createdAt": "2026-01-01T00:00:00Z",
        "payload": {
            "message": "…", "structured": {"deep": [{"b": 1.5, "a": null}]},
            "artifacts": [{"type": "task", "ref": "TASK-001"}], "status": {"ok": false, "reason": "no"},
            "response": {"expectation": "required", "replyTo": "cy"},
        },
        "contextRef": "contextpack://pack/789", "meta": {"priority": "high", "inReplyTo": "p-0"},
    }))
    .unwrap();
    let ends = Ends {
        from: party("ana"),
        to: party("bo"),
        reply_to: Some(party("cy")),
        sender_kind: Some(SessionKind::Human),
    };
    let envelope = draft.seal(&ends, Timestamp::from_millis(0)).unwrap();
    let sent = Sent {
        envelope: Box::new(envelope),
        from_name: "ana".to_owned(),
        sender_kind: Some(SessionKind::Human),
        to_name: "bo".to_owned(),
        answers: Some(Seq(1)),
    };
    let (from, to) = (agent("ana"), agent("bo"));
    let told =
        |manner| Told::decide(&party("bo"), "human:x".to_owned(), Some(SessionKind::Human), "stop", manner).unwrap();
    vec![
        Event::Sent(sent.clone()).into(),
        Event::Sent(Sent { answers: None, ..sent }).into(),
        Event::Forwarded(Forwarded { from: from.clone(), to: to.clone() }).into(),
        Event::EdgeSet(EdgeSet { from: from.clone(), to: to.clone(), both_ways: true }).into(),
        Event::EdgeRemoved(EdgeRemoved { from, to }).into(),
        told(Manner::Queue).into(),
        told(Manner::Interrupt).into(),
    ]
}

#[test]
fn every_kind_of_event_about_envelopes_and_a_persons_word_is_read_back_as_it_was_written() {
    let kinds: BTreeSet<&str> = events().iter().map(event::Event::kind).collect();
    let all = "envelope.send envelope.forward edge.set edge.remove message.tell";
    assert_eq!(kinds, all.split(' ').collect());
    assert!(
        events().iter().any(|event| matches!(event, event::Event::Inbox(inbox::Event::Told(told)) if told.interrupts))
    );
    assert_events_are_read_back(&events());
}
