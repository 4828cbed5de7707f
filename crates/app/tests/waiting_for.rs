//! Fan-in: waiting for agents and jobs, and why they are not done.
#![expect(clippy::unwrap_used, reason = "these are tests; a failed step ends the test")]

use std::thread;

use baton_core::time::{Timestamp, Ttl};
use baton_store::{
    StoreError,
    waits::{self, Awaited, Wait},
};
use baton_testkit::{Agent, Sleeper, on_every_backend};
use serde_json::{Value, json};

fn sends(agent: &Agent<'_>, to: &str, message: &str) -> Value {
    agent.does("envelope.send", json!({"to": to, "message": message}))
}

fn waits_for(agent: &Agent<'_>, input: Value) -> Value {
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
        let answer = waits_for(&ana, both.clone());
        assert_eq!((&answer["done"], answer["pending"].as_array().unwrap().len()), (&json!(false), 2));
        assert_eq!(why(&answer), "has one input queued");
        let replied = sends(&bo, "ana", "first line\nsecond")["ref"].clone();
        let answer = waits_for(&ana, both.clone());
        assert_eq!((&answer["done"], &answer["ready"][0]["what"]), (&json!(false), &json!("first line")));
        assert_eq!(answer["ready"][0]["refs"], json!([replied]));
        let mut any = both.clone();
        any["any"] = true.into();
        assert_eq!(waits_for(&ana, any)["done"], true);
        cy.does("inbox.read", json!({"message": asked}));
        assert_eq!(why(&waits_for(&ana, both.clone())), "has read what it was sent, and never answered");
        sends(&cy, "ana", "here");
        assert_eq!(waits_for(&ana, both.clone())["done"], true);
        assert_eq!(waits_for(&ana, both.clone())["done"], true, "asking again tells the same");
        sends(&ana, "bo", "once more");
        assert_eq!(waits_for(&ana, both)["done"], false);
        assert_eq!(waits_for(&ana, json!({"agents": ["bo"], "after": 1}))["done"], true);
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
            let waiting = scope.spawn(|| waits_for(&ana, json!({"agents": ["bo"], "max_wait_ms": 50_000})));
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
        let answer = waits_for(&ana, json!({"agents": ["bo", "cy"], "max_wait_ms": 50_000}));
        assert_eq!((&answer["done"], &answer["over"]), (&json!(false), &json!(true)));
        assert_eq!(why(&answer), "it is gone: its process has exited");
        assert_eq!(answer["pending"][0]["over"], true);
        let any = waits_for(&ana, json!({"agents": ["bo", "cy"], "any": true}));
        assert_eq!((&any["done"], &any["over"]), (&json!(false), &json!(false)), "the other may still answer");
        cy.does("room.leave", json!({}));
        assert_eq!(why(&waits_for(&ana, json!({"agents": ["cy"]}))), "it has left the room");
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
        assert_eq!(why(&waits_for(&ana, third())), "queued behind 2 others");
        let claim = |job: &str| json!({"job": job, "runner_id": "r1", "lease_ttl_ms": 60_000});
        ana.does("jobs.claim", claim("JOB-001"));
        assert_eq!(why(&waits_for(&ana, third())), "queued behind one other");
        ana.does("jobs.cancel", json!({"job": "JOB-002", "reason": "no"}));
        assert_eq!(why(&waits_for(&ana, third())), "queued, and next in its line");
        ana.does("jobs.claim", claim("JOB-003"));
        assert_eq!(why(&waits_for(&ana, third())), "running under r1");
        let report = |kind: &str| json!({"job": "JOB-003", "runner_id": "r1", "claim_revision": 1, "kind": kind, "message": "which?"});
        ana.does("jobs.report", report("question"));
        assert_eq!(why(&waits_for(&ana, third())), "asked something and waits for a manager");
        ana.does("jobs.message", json!({"job": "JOB-003", "message": "that one"}));
        app.later(Ttl::from_secs(200));
        assert_eq!(why(&waits_for(&ana, third())), "running under r1, whose claim has run out");
        ana.does("jobs.cancel", json!({"job": "JOB-003", "reason": "enough"}));
        let answer = waits_for(&ana, json!({"jobs": ["JOB-003", "JOB-002"], "agents": []}));
        assert_eq!((&answer["done"], &answer["ready"][0]["refs"][0]), (&json!(true), &json!("JOB-003")));
        assert!(answer["ready"][0]["what"].as_str().unwrap().starts_with("CANCELED"), "{answer}");
        // Its agent will not answer any more.
        assert_eq!(why(&waits_for(&ana, json!({"agents": ["JOB-003"]}))), "JOB-003 has ended: CANCELED");
    });
}

/// The calls that wait, as the graph and an agent's own page tell it.
fn calls(answer: &Value) -> Vec<Value> {
    let all = answer["waits"].as_array().cloned().unwrap_or_default();
    all.into_iter().filter(|wait| wait["kind"] == "call").collect()
}

#[test]
fn a_wait_in_progress_is_seen_until_it_ends() {
    on_every_backend(|app| {
        let [ana, bo, cy] = app.joined(["ana", "bo", "cy"]);
        cy.does("jobs.create", json!({"title": "Mend it", "prompt": "It rains in."}));
        sends(&ana, "bo", "well?");
        assert!(calls(&cy.does("agent.graph", json!({}))).is_empty());
        waits_for(&ana, json!({"agents": ["bo"], "jobs": ["JOB-001"]}));
        assert!(calls(&cy.does("agent.graph", json!({}))).is_empty(), "who only looks does not wait");
        thread::scope(|scope| {
            let input = json!({"agents": ["bo"], "jobs": ["JOB-001"], "max_wait_ms": 50_000});
            let waiting = scope.spawn(|| waits_for(&ana, input));
            let seen = loop {
                let seen = calls(&cy.does("agent.graph", json!({})));
                if seen.len() == 2 {
                    break seen;
                }
                assert!(!waiting.is_finished());
                thread::yield_now();
            };
            let told = |name: &str| seen.iter().map(|wait| wait[name].clone()).collect::<Vec<_>>();
            assert_eq!(told("from_agent_id"), ["ana", "ana"]);
            assert_eq!([&seen[0]["to_agent_id"], &seen[1]["ref"]], ["bo", "JOB-001"]);
            assert_eq!(seen[0]["pending"], "has one input queued");
            assert!(seen[1]["pending"].as_str().unwrap().starts_with("queued"), "{seen:?}");
            assert!(seen.iter().all(|wait| wait["since"].is_string()));
            assert_eq!(calls(&cy.does("agent.inspect", json!({"agent": "ana"}))), seen);
            assert_eq!(calls(&cy.does("agent.inspect", json!({"agent": "bo"}))), seen[..1]);
            for wait in &seen {
                cy.does("agent.inspect", json!({"agent": wait["to_agent_id"]}));
            }
            sends(&bo, "ana", "yes");
            cy.does("jobs.cancel", json!({"job": "JOB-001", "reason": "It is dry."}));
            assert_eq!(waiting.join().unwrap()["done"], true);
        });
        assert!(calls(&cy.does("agent.graph", json!({}))).is_empty());
        assert!(calls(&cy.does("agent.inspect", json!({"agent": "ana"}))).is_empty());
    });
}

#[test]
fn the_death_of_whom_is_waited_for_ends_the_wait() {
    on_every_backend(|app| {
        let [ana, bo] = ["ana", "bo"].map(|name| app.living_agent(name));
        ana.join();
        bo.join();
        sends(&ana, "bo", "well?");
        thread::scope(|scope| {
            let waiting = scope.spawn(|| waits_for(&ana, json!({"agents": ["bo"], "max_wait_ms": 50_000})));
            while calls(&ana.does("agent.graph", json!({}))).is_empty() {
                assert!(!waiting.is_finished());
            }
            bo.dies();
            let answer = waiting.join().unwrap();
            assert_eq!((&answer["done"], &answer["over"]), (&json!(false), &json!(true)), "{answer}");
        });
    });
}

#[test]
fn who_was_retired_is_answered_for_as_gone() {
    on_every_backend(|app| {
        let [ana, bo] = ["ana", "bo"].map(|name| app.living_agent(name));
        ana.join();
        bo.join();
        bo.dies();
        app.later_minutes(1);
        app.app().sweep_gone(&ana.room()).unwrap();
        let members = ana.does("room.state", json!({}))["members"].as_array().unwrap().len();
        assert_eq!(members, 1, "it is no member any longer");
        let answer = waits_for(&ana, json!({"agents": ["bo"]}));
        assert_eq!((&answer["done"], &answer["over"]), (&json!(false), &json!(true)), "{answer}");
        assert!(why(&answer).contains("gone"), "{answer}");
    });
}

#[test]
fn whoever_was_sent_nothing_is_waited_for_since_the_call_began() {
    on_every_backend(|app| {
        let [ana, bo] = ["ana", "bo"].map(|name| app.living_agent(name));
        ana.join();
        bo.join();
        let before = app.now();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| waits_for(&ana, json!({"agents": ["bo"], "max_wait_ms": 50_000})));
            while calls(&ana.does("agent.graph", json!({}))).is_empty() {
                assert!(!waiting.is_finished());
            }
            app.later(Ttl::from_secs(20));
            bo.dies();
            let answer = waiting.join().unwrap();
            let since: Timestamp = serde_json::from_value(answer["pending"][0]["since"].clone()).unwrap();
            assert!(since.since(before) < Ttl::from_secs(20), "{answer}");
        });
    });
}

#[test]
fn a_waiter_that_was_killed_is_not_shown_to_wait_and_neither_is_one_whose_time_is_over() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined(["ana", "bo"]);
        let mut process = Sleeper::start();
        let begins = |id: &str, process: Option<&Sleeper>| {
            let wait = Wait {
                id: id.to_owned(),
                agent_id: "stranger".parse().unwrap(),
                process: process.map(Sleeper::identity),
                awaited: Awaited { agents: vec![bo.id()], ..Awaited::default() },
                since: app.now(),
                until: app.now().plus(Ttl::from_secs(50)),
            };
            let store = app.place().open();
            store.write::<_, StoreError>(|tx| waits::begin(tx, &ana.room(), &wait)).unwrap();
        };
        begins("local", Some(&process));
        begins("elsewhere", None);
        let shown = || calls(&ana.does("agent.graph", json!({}))).len();
        assert_eq!(shown(), 2);
        // Whoever is shown to wait can be looked at, though it never joined.
        assert_eq!(calls(&ana.does("agent.inspect", json!({"agent": "stranger"}))).len(), 2);
        process.kill();
        assert_eq!(shown(), 1);
        app.later(Ttl::from_secs(51));
        assert_eq!(shown(), 0);
    });
}
