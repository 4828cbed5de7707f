//! What the log says of grants, displaced owners and transfers, and the ids that its protocol events have.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use std::collections::BTreeSet;

use baton_testkit::{Agent, on_every_backend};
use serde_json::{Value, json};

/// The events of one type, oldest first.
fn events(agent: &Agent<'_>, event_type: &str) -> Vec<Value> {
    let all = agent.does("room.events", json!({"after": 0, "limit": 200}))["events"].clone();
    all.as_array().unwrap().iter().filter(|event| event["event_type"] == event_type).cloned().collect()
}

fn tell(agent: &Agent<'_>) -> String {
    let sent = agent.does("inbox.send", json!({"to": "broadcast", "category": "INFO", "subject": "s", "body": "b"}));
    sent["event"]["id"].as_str().unwrap().to_owned()
}

#[test]
fn protocol_ids_are_not_given_again_by_a_room_that_is_opened_anew_at_the_same_path() {
    on_every_backend(|app| {
        let mut ids = BTreeSet::new();
        for round in 0..3 {
            let [ana, bo] = app.joined(["ana", "bo"]);
            ana.does("scope.reserve", json!({"scopes": ["src"]}));
            bo.refused("scope.check", json!({"paths": ["src/x"]}));
            for _ in 0..3 {
                let id = tell(&ana);
                assert!(ids.insert(id.clone()), "round {round}: {id} again");
                assert_eq!(bo.does("inbox.read", json!({"message": id}))["event"]["id"], json!(id), "and named by it");
                let (day, number) = id.strip_prefix("proto_").unwrap().split_once('_').unwrap();
                assert_eq!((day, number.len() >= 3), ("20260101", true), "{id}");
                assert!(number.bytes().all(|byte| byte.is_ascii_digit()), "{id}");
            }
            for event in ["INCURSION", "INFO"].into_iter().flat_map(|kind| events(&ana, kind)) {
                let protocol = &event["protocol"];
                assert_eq!(protocol["project_root"], json!(app.workspace().text("")));
                let id = protocol["id"].as_str().unwrap().to_owned();
                assert_eq!(ids.insert(id.clone()), event["event_type"] == "INCURSION", "{id}");
            }
            // A room inside is at another root, and counts for itself.
            let nested = app.workspace().dir("nested");
            let inner = app.agent("cy");
            inner.does("room.join", json!({"context_path": nested, "force_new": true}));
            ana.does("room.close", json!({"expected_turn_id": 0}));
        }
        assert_eq!(ids.len(), 12);
        assert!(baton_app::doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn a_reservation_says_until_when_why_and_whom_it_displaced() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined(["ana", "bo"]);
        ana.does("scope.reserve", json!({"scopes": ["src"], "bead_id": "bb-1"}));
        app.later_minutes(30);
        bo.does("scope.reserve", json!({"scopes": ["src/lib"], "ttl_minutes": 60, "takeover_stale": true}));
        bo.does("scope.reserve", json!({"scopes": ["src/lib"], "ttl_minutes": 90}));
        let told = events(&bo, "scope.reserve");
        assert_eq!(told[0]["expires_at"], "2026-01-01T02:00:00.000Z");
        assert_eq!((&told[0]["reason"], &told[0]["displaced"]), (&json!("for bb-1"), &Value::Null));
        assert_eq!(told[1]["expires_at"], "2026-01-01T01:30:00.000Z");
        assert_eq!(told[1]["reason"], "the owner was evicted");
        let displaced = &told[1]["displaced"][0];
        assert_eq!([&displaced["owner"], &displaced["scope"]], ["ana", "src"]);
        assert_eq!([&displaced["owner_liveness"], &displaced["process"]], ["evicted", "unknown"]);
        assert_eq!([&told[2]["expires_at"], &told[2]["reason"]], ["2026-01-01T02:00:00.000Z", "extended"]);
    });
}

#[test]
fn a_claim_says_until_when_and_why_and_a_takeover_whom_it_displaced() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        ana.does("stick.wait", json!({}));
        let claim = &events(&ana, "claim")[0];
        assert_eq!(claim["reason"], "open_claim", "{claim}");
        let held = ana.does("room.state", json!({}))["room"]["lease_expires_at"].clone();
        assert_eq!(claim["expires_at"], held);
        ana.dies();
        bo.does("stick.takeover", json!({"expected_turn_id": 1, "reason": "it is gone"}));
        let taken = &events(&bo, "takeover")[0];
        assert_eq!([&taken["reason"], &taken["from_agent_id"]], ["it is gone", "ana"]);
        assert_eq!(taken["expires_at"], bo.does("room.state", json!({}))["room"]["lease_expires_at"]);
        let displaced = &taken["displaced"][0];
        assert_eq!([&displaced["owner"], &displaced["process"]], ["ana", "gone"]);
        assert_eq!(displaced["expired_at"], held);
    });
}

#[test]
fn a_transfer_says_from_whom_to_whom() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        ana.does("scope.reserve", json!({"scopes": ["src"]}));
        ana.does("tasks.create", json!({"title": "parse", "assignee": "ana"}));
        ana.does("tasks.start", json!({"task": "TASK-001"}));
        ana.dies();
        bo.does("agent.adopt", json!({"agent": "ana"}));
        let told = events(&bo, "scope.transfer");
        let [transfer] = &told[..] else { panic!("{told:?}") };
        assert_eq!([&transfer["from_agent_id"], &transfer["to_agent_id"]], ["ana", "bo"]);
        assert_eq!([&transfer["scope"], &transfer["reason"]], ["src", "adoption"]);
    });
}
