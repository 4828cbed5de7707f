//! What a job's program prints: while it runs as it comes, and afterwards what was kept of it.

use baton_testkit::on_every_backend;
use serde_json::{Value, json};

#[test]
fn a_log_is_live_while_the_turn_goes_on_and_then_what_was_kept() {
    on_every_backend(|app| {
        let [agent] = app.joined(["r1"]);
        agent.does("jobs.create", json!({"title": "Runs", "prompt": "x"}));
        let log = || agent.does("jobs.log", json!({"job": "JOB-001"}));
        assert_eq!((&log()["live"], &log()["unavailable"]), (&json!(false), &json!("Nothing was printed yet.")));
        agent.does("jobs.claim", json!({"job": "JOB-001", "lease_ttl_ms": 300_000}));
        let begin = json!({"job": "JOB-001", "claim_revision": 1, "executor": "codex"});
        agent.does("context.turn.begin", begin);
        let mut tail = app.app().begin_tail(&agent.room(), "JOB-001".parse().unwrap()).unwrap();
        tail.push("one").unwrap();
        tail.push("token=ghp_0123456789abcdefghijklmnopqrstuvwxyz").unwrap();
        let seen = log();
        assert_eq!((&seen["live"], &seen["turn"]), (&json!(true), &json!("TURN-1")));
        let text = seen["text"].as_str().unwrap();
        assert!(text.starts_with("one\n") && !text.contains("ghp_0123"), "{text}");
        drop(tail);
        assert!(log()["unavailable"].as_str().unwrap().contains("machine of its runner"));
        let keep = json!({"kind": "log", "name": "log.txt", "text": "one\ntwo\n", "job": "JOB-001"});
        agent.does("tasks.artifact.keep", keep);
        let end = json!({"turn": "TURN-1", "claim_revision": 1, "outcome": "completed"});
        agent.does("context.turn.end", end);
        let seen = log();
        assert_eq!((&seen["live"], &seen["text"]), (&json!(false), &json!("one\ntwo\n")));
        assert_eq!((&seen["ref"], &seen["unavailable"]), (&json!("artifact://log/1"), &Value::Null));
        assert_eq!(agent.refused("jobs.log", json!({"job": "JOB-009"}))["error"], "UNKNOWN_ID");
    });
}
