//! Fan-in: waiting for agents and jobs, and why they are not done.
#![expect(clippy::unwrap_used, reason = "these are tests; a failed step ends the test")]

use std::thread;

use baton_core::time::Ttl;
use baton_testkit::{Agent, on_every_backend};
use serde_json::{Value, json};

fn sends(agent: &Agent<'_>, to: &str, message: &str) -> Value {
    agent.does("envelope.send", json!({"to": to, "message": message}))
}

fn waits(agent: &Agent<'_>, input: Value) -> Value {
    agent.does("wait.for", input)
}

fn whys(answer: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    answer["pending"].as_array().unwrap().iter().map(|one| (text(&one["who"]), text(&one["why"]))).collect()
}

fn why(answer: &Value) -> String {
    whys(answer).remove(0).1
}

#[test]
fn an_agent_is_done_when_it_answered_after_what_it_was_sent_last() {
    on_every_backend(|app| {
        let [ana, bo, cy] = app.joined(["ana", "bo", "cy"]);
        let both = json!({"agents": ["bo", "cy"]});
        sends(&bo, "ana", "before");
        sends(&ana, "bo", "1");
        let asked = sends(&ana, "cy", "2")["message"].clone();
        let answer = waits(&ana, both.clone());
        assert_eq!((&answer["done"], answer["pending"].as_array().unwrap().len()), (&json!(false), 2));
        assert_eq!(why(&answer), "has one input queued");
        let replied = sends(&bo, "ana", "first line\nsecond")["ref"].clone();
        let answer = waits(&ana, both.clone());
        assert_eq!((&answer["done"], &answer["ready"][0]["what"]), (&json!(false), &json!("first line")));
        assert_eq!(answer["ready"][0]["refs"], json!([replied]));
        let mut any = both.clone();
        any["any"] = true.into();
        assert_eq!(waits(&ana, any)["done"], true);
        cy.does("inbox.read", json!({"message": asked}));
        assert_eq!(why(&waits(&ana, both.clone())), "has read what it was sent, and never answered");
        sends(&cy, "ana", "here");
        assert_eq!(waits(&ana, both.clone())["done"], true);
        assert_eq!(waits(&ana, both.clone())["done"], true, "asking again tells the same");
        sends(&ana, "bo", "once more");
        assert_eq!(waits(&ana, both)["done"], false);
        assert_eq!(waits(&ana, json!({"agents": ["bo"], "after": 1}))["done"], true);
        for wrong in [json!({}), json!({"agents": ["ana"]})] {
            assert_eq!(ana.refused("wait.for", wrong)["error"], "INVALID_INPUT");
        }
        assert_eq!(ana.refused("wait.for", json!({"agents": ["nobody"]}))["error"], "AGENT_NOT_FOUND");
        assert_eq!(ana.refused("wait.for", json!({"jobs": ["JOB-009"]}))["error"], "UNKNOWN_ID");
    });
}

#[test]
fn an_answer_ends_a_wait_that_is_under_way() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined(["ana", "bo"]);
        sends(&ana, "bo", "well?");
        thread::scope(|scope| {
            let waiting = scope.spawn(|| waits(&ana, json!({"agents": ["bo"], "max_wait_ms": 50_000})));
            sends(&bo, "ana", "well");
            let answer = waiting.join().unwrap();
            assert_eq!((&answer["done"], &answer["ready"][0]["what"]), (&json!(true), &json!("well")));
        });
    });
}

#[test]
fn who_is_gone_or_has_left_ends_the_wait_at_once_and_it_says_why() {
    on_every_backend(|app| {
        let [ana, bo, cy] = app.joined_living(["ana", "bo", "cy"]);
        sends(&ana, "bo", "well?");
        sends(&ana, "cy", "well?");
        bo.dies();
        let answer = waits(&ana, json!({"agents": ["bo", "cy"], "max_wait_ms": 50_000}));
        assert_eq!((&answer["done"], &answer["over"]), (&json!(false), &json!(true)));
        assert_eq!(why(&answer), "it is gone: its process has exited");
        assert_eq!(answer["pending"][0]["over"], true);
        let any = waits(&ana, json!({"agents": ["bo", "cy"], "any": true}));
        assert_eq!((&any["done"], &any["over"]), (&json!(false), &json!(false)), "the other may still answer");
        cy.does("room.leave", json!({}));
        assert_eq!(why(&waits(&ana, json!({"agents": ["cy"]}))), "it has left the room");
    });
}

#[test]
fn a_job_is_done_when_it_ended_and_until_then_says_what_it_waits_for() {
    on_every_backend(|app| {
        let [ana] = app.joined(["ana"]);
        for _ in 0..3 {
            ana.does("jobs.create", json!({"title": "x", "prompt": "x"}));
        }
        let third = || json!({"jobs": ["JOB-003"]});
        assert_eq!(why(&waits(&ana, third())), "queued behind 2 others");
        let claim = |job: &str| json!({"job": job, "runner_id": "r1", "lease_ttl_ms": 60_000});
        ana.does("jobs.claim", claim("JOB-001"));
        assert_eq!(why(&waits(&ana, third())), "queued behind one other");
        ana.does("jobs.cancel", json!({"job": "JOB-002", "reason": "no"}));
        assert_eq!(why(&waits(&ana, third())), "queued, and next in its line");
        ana.does("jobs.claim", claim("JOB-003"));
        assert_eq!(why(&waits(&ana, third())), "running under r1");
        let report = |kind: &str| json!({"job": "JOB-003", "runner_id": "r1", "claim_revision": 1, "kind": kind, "message": "which?"});
        ana.does("jobs.report", report("question"));
        assert_eq!(why(&waits(&ana, third())), "asked something and waits for a manager");
        ana.does("jobs.message", json!({"job": "JOB-003", "message": "that one"}));
        app.later(Ttl::from_secs(200));
        assert_eq!(why(&waits(&ana, third())), "running under r1, whose claim has run out");
        ana.does("jobs.cancel", json!({"job": "JOB-003", "reason": "enough"}));
        let answer = waits(&ana, json!({"jobs": ["JOB-003", "JOB-002"], "agents": []}));
        assert_eq!((&answer["done"], &answer["ready"][0]["refs"][0]), (&json!(true), &json!("JOB-003")));
        assert!(answer["ready"][0]["what"].as_str().unwrap().starts_with("CANCELED"), "{answer}");
        // Its agent will not answer any more.
        assert_eq!(why(&waits(&ana, json!({"agents": ["JOB-003"]}))), "JOB-003 has ended: CANCELED");
    });
}
