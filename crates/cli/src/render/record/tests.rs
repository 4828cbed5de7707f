//! A conversation on the bus, as its stream and the timeline tell it.

use baton_app::{
    commands::{
        bus::{History, HistoryInput},
        room::{Events, EventsInput},
    },
    table::UseCase,
};
use baton_core::ids::Seq;
use baton_testkit::{Agent, Backend, TestApp};
use serde_json::json;

use super::record_line;
use crate::render::event_line;

/// The start of a row that says when it was.
const MIDNIGHT: &str = "2026-01-01T00:00:00.000Z  ";

/// The stream that somebody reads from the beginning.
fn stream(app: &TestApp, reader: &Agent<'_>) -> String {
    let after = Some(Seq(0));
    let input =
        HistoryInput { room_id: reader.room(), after, before: None, types: None, limit: Some(200), max_wait_ms: None };
    let page = History::run(app.app(), reader.caller(), input).unwrap();
    assert!(!page.has_more);
    page.events.iter().map(record_line).collect::<String>().replace(MIDNIGHT, "")
}

fn timeline(app: &TestApp, reader: &Agent<'_>) -> String {
    let input = EventsInput { room_id: reader.room(), after: Some(Seq(0)), before: None, limit: Some(200) };
    let page = Events::run(app.app(), reader.caller(), input).unwrap();
    page.events.iter().map(event_line).collect::<String>().replace(MIDNIGHT, "").replace("turn 0    ", "")
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
    insta::assert_snapshot!(stream(&app, &ana), @"");
}

#[test]
fn the_timeline_tells_the_same_conversation() {
    let app = TestApp::open(Backend::Sqlite);
    let [ana, _bo] = story(&app);
    insta::assert_snapshot!(timeline(&app, &ana), @"");
}
