//! A conversation on the bus, as its stream and the timeline tell it.

use baton_app::{
    bus::Record,
    commands::{
        bus::{History, HistoryInput},
        room::{Events, EventsInput},
    },
    table::UseCase,
    view::RoomEvent,
};
use baton_core::{
    event::{Event, Recorded},
    ids::Seq,
    lease::Fence,
    protocol::Project,
    time::Timestamp,
};
use baton_testkit::{Agent, Backend, TestApp};
use serde_json::{Value, json};

use super::{of_room, record_line, said, told};
use crate::render::{Names, event_line};

/// The start of a row that says when it was.
const MIDNIGHT: &str = "2026-01-01T00:00:00.000Z  ";

/// The stream that somebody reads from the beginning.
fn stream(app: &TestApp, reader: &Agent<'_>) -> String {
    let after = Some(Seq(0));
    let input =
        HistoryInput { room_id: reader.room(), after, before: None, types: None, limit: Some(200), max_wait_ms: None };
    let page = History::run(app.app(), reader.caller(), input).unwrap();
    assert!(!page.has_more);
    page.events.iter().map(|record| record_line(record, &Names::new())).collect::<String>().replace(MIDNIGHT, "")
}

fn timeline(app: &TestApp, reader: &Agent<'_>) -> String {
    let input = EventsInput { after: Some(Seq(0)), limit: Some(200), ..EventsInput::in_room(&reader.room()) };
    let page = Events::run(app.app(), reader.caller(), input).unwrap();
    page.events
        .iter()
        .map(|event| event_line(event, &Names::new()))
        .collect::<String>()
        .replace(MIDNIGHT, "")
        .replace("turn 0    ", "")
}

fn story(app: &TestApp) -> [Agent<'_>; 2] {
    let [ana, bo] = app.joined(["codex:ana", "claude:bo"]);
    ana.does("bus.rename", json!({ "name": "review" }));
    app.app().connect(bo.caller(), &bo.room()).unwrap();
    ana.does(
        "bus.submit",
        json!({ "group_id": "g1", "actions": [
            { "type": "control", "dst": "claude:bo", "action_id": "g1.0", "action_index": 0, "command": "new" },
            { "type": "message", "dst": "claude:bo", "action_id": "g1.1", "action_index": 1, "kind": "user",
              "text": "read the diff\nall of it\u{1b}[2J" },
            { "type": "control", "dst": "claude:bo", "action_id": "g1.2", "action_index": 2, "command": "review",
              "args": "the error paths" },
        ]}),
    );
    bo.does("bus.take", json!({}));
    let begun = json!({ "action_id": "g1.0", "status": "completed", "data": { "new_context_id": "ctx-2" } });
    bo.does("bus.result", begun);
    bo.does("bus.result", json!({ "action_id": "g1.1", "status": "accepted" }));
    let reply = json!([{ "type": "message", "dst": "codex:ana", "action_id": "r1", "action_index": 0, "kind": "reply",
        "text": "two findings", "reply_to_action_id": "g1.1" }]);
    bo.does("bus.submit", json!({ "group_id": "r", "actions": reply }));
    bo.does("bus.result", json!({ "action_id": "g1.1", "status": "completed" }));
    bo.does("bus.result", json!({ "action_id": "g1.2", "status": "rejected", "detail": "I am busy" }));
    ana.does("bus.task", json!({ "task_id": "t1", "status": "running" }));
    ana.does("bus.task_done", json!({ "task_id": "t1", "summary": "reviewed" }));
    bo.does("bus.update", json!({ "id": "claude:bo", "name": "worker" }));
    app.app().disconnect(bo.caller(), &bo.room(), "the connection ended").unwrap();
    ana.does("bus.send", json!({ "text": "thanks, both" }));
    let info = json!({ "to": "broadcast", "category": "INFO", "subject": "lunch", "body": "at one" });
    ana.does("inbox.send", info);
    ana.does("room.note", json!({ "text": "a note" }));
    ana.claim();
    [ana, bo]
}

#[test]
fn the_stream_tells_a_conversation_in_plain_words() {
    let app = TestApp::open(Backend::Sqlite);
    let [ana, _bo] = story(&app);
    insta::assert_snapshot!(stream(&app, &ana), @r"
     1  codex:ana opened the session
     2  codex:ana joined as sunny-raven
     3  claude:bo joined as fond-kestrel
     4  codex:ana called the session review
     5  claude:bo is connected
     6  codex:ana asks claude:bo (g1.0): /new
     7  codex:ana asks claude:bo (g1.1): read the diff
          all of it[2J
     8  codex:ana asks claude:bo (g1.2): /review the error paths
     9  claude:bo was told of messages 6, 7 and 8
    10  claude:bo to codex:ana (g1.0): completed, begins ctx-2
    11  claude:bo to codex:ana (g1.1): accepted
    12  claude:bo replies to codex:ana (r1): two findings
    13  claude:bo to codex:ana (g1.1): completed
    14  claude:bo to codex:ana (g1.2): rejected: I am busy
    15  codex:ana: t1 is running
    16  codex:ana: t1 is done: reviewed
    17  claude:bo is called worker from now on: was fond-kestrel
    18  claude:bo is disconnected: its stream ended: the connection ended
    19  codex:ana told claude:bo: thanks, both
    20  codex:ana told claude:bo (INFO): lunch

          at one
    21  codex:ana noted: a note
    22  codex:ana took up the stick
    ");
}

#[test]
fn the_timeline_tells_the_same_conversation() {
    let app = TestApp::open(Backend::Sqlite);
    let [ana, _bo] = story(&app);
    insta::assert_snapshot!(timeline(&app, &ana), @r"
     1  codex:ana opened the room
     2  codex:ana joined as sunny-raven
     3  claude:bo joined as fond-kestrel
     4  codex:ana gave the room a name: review
     5  claude:bo is connected
     6  codex:ana submitted to claude:bo: /new
     7  codex:ana submitted to claude:bo: read the diff
          all of it[2J
     8  codex:ana submitted to claude:bo: /review the error paths
     9  claude:bo was told of messages 6, 7 and 8
    10  claude:bo told codex:ana how far action 6 is: completed
    11  claude:bo told codex:ana how far action 7 is: accepted
    12  claude:bo submitted to codex:ana: two findings
    13  claude:bo told codex:ana how far action 7 is: completed
    14  claude:bo told codex:ana how far action 8 is: rejected: I am busy
    15  codex:ana told how far a task is: t1 running
    16  codex:ana told how far a task is: t1 done: reviewed
    17  claude:bo is called worker from now on: was fond-kestrel
    18  claude:bo is disconnected: its stream ended: the connection ended
    19  codex:ana told claude:bo: thanks, both
    20  Told to everybody by sunny-raven: lunch
          text      at one
    21  codex:ana noted: a note
    22  turn 1    codex:ana took up the stick
    ");
}

#[test]
fn what_the_bus_has_no_words_for_is_the_event_of_the_timeline() {
    let room = Project { root: Some("/repo"), earlier_events: 0 };
    for line in include_str!("../../../../app/src/unit/every_event.jsonl").lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let recorded = Recorded {
            room_id: "room_1".parse().unwrap(),
            seq: Seq(1),
            at: Timestamp::default(),
            actor: line["actor"].as_str().unwrap().parse().unwrap(),
            overridden: false,
            turn: Fence(0),
            event: Event::read(line["type"].as_str().unwrap(), &line["payload"].to_string()).unwrap(),
        };
        let record = Record::when_recorded(&recorded, room);
        if said(&record, &Names::new()).is_none() {
            let [streamed, listed] =
                [of_room(&record).unwrap(), RoomEvent::of(&recorded, room)].map(|event| told(&event, &Names::new()));
            assert_eq!(streamed, listed, "{}", record.kind);
        }
    }
}
