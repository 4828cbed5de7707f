//! All jobs at a glance: counts, listings with cursors, and runners, in one room and in all.
#![expect(clippy::unwrap_used, reason = "these are tests; a failed step ends the test")]

use baton_core::time::Ttl;
use baton_testkit::{Agent, on_every_backend};
use serde_json::{Value, json};

fn create(agent: &Agent<'_>, title: &str, more: Value) {
    let mut input = json!({"title": title, "prompt": "x"});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    agent.does("jobs.create", input);
}

fn claim(agent: &Agent<'_>, job: &str, ttl_ms: u64) {
    agent.does("jobs.claim", json!({"job": job, "lease_ttl_ms": ttl_ms}));
}

fn report(agent: &Agent<'_>, job: &str, kind: &str) {
    agent.does("jobs.report", json!({"job": job, "claim_revision": 1, "kind": kind, "message": "so it is"}));
}

/// The titles that an overview lists.
fn titles(seen: &Value) -> Vec<String> {
    seen["jobs"].as_array().unwrap().iter().map(|job| job["title"].as_str().unwrap().to_owned()).collect()
}

/// One room with a job of every sort, and another one with a question and a queued job.
fn two_rooms(app: &baton_testkit::TestApp) -> [Agent<'_>; 2] {
    let [one] = app.joined(["one"]);
    for title in ["Stale", "Proof", "Asks", "Broken", "Calm", "Waits", "Over"] {
        create(&one, title, json!({}));
    }
    for number in [1, 2, 3, 4, 5, 7] {
        claim(&one, &format!("JOB-00{number}"), if number == 1 { 1_000 } else { 300_000 });
    }
    report(&one, "JOB-002", "proof_gate");
    report(&one, "JOB-003", "question");
    report(&one, "JOB-004", "error");
    one.does("jobs.complete", json!({"job": "JOB-007", "claim_revision": 1, "status": "FAILED", "summary": "no"}));
    app.later(Ttl::from_secs(2));
    let two = app.agent("two");
    let opened = two.does("bus.open", json!({"name": "elsewhere"}));
    two.enter(&opened["session"]["id"].as_str().unwrap().parse().unwrap());
    create(&two, "Asks elsewhere", json!({"executor": "codex"}));
    claim(&two, "JOB-001", 300_000);
    report(&two, "JOB-001", "question");
    create(&two, "Waits elsewhere", json!({}));
    [one, two]
}

#[test]
fn what_is_pressing_comes_first_whichever_room_it_is_in_and_everything_is_counted() {
    on_every_backend(|app| {
        let [one, two] = two_rooms(&app);
        let seen = one.does("jobs.overview", json!({}));
        let expected = ["Broken", "Asks elsewhere", "Asks", "Proof", "Stale", "Calm", "Waits elsewhere", "Waits"];
        assert_eq!(titles(&seen), expected);
        assert_eq!(
            seen["counts"],
            json!({
                "queued": 2, "running": 6, "done": 0, "failed": 1, "canceled": 0, "error": 1, "question": 2, "proof": 1,
                "stale": 1, "counted_to": 1000, "runners": {"live": 0, "idle": 0, "offline": 0},
            })
        );
        let commands: Vec<&Value> = seen["rooms"].as_array().unwrap().iter().map(|room| &room["cmd"]).collect();
        let start = format!("baton run --room {} --store ", two.room());
        assert!(commands.iter().any(|cmd| cmd.as_str().is_some_and(|cmd| cmd.starts_with(&start))), "{commands:?}");
        let here = one.does("jobs.overview", json!({"room_id": two.room()}));
        assert_eq!(titles(&here), ["Asks elsewhere", "Waits elsewhere"]);
        assert_eq!(here["counts"]["question"], 1);
    });
}

#[test]
fn a_job_that_wants_several_things_counts_and_is_listed_for_each() {
    on_every_backend(|app| {
        let [one] = app.joined(["one"]);
        create(&one, "Asks", json!({}));
        create(&one, "All of it", json!({}));
        claim(&one, "JOB-001", 300_000);
        claim(&one, "JOB-002", 300_000);
        report(&one, "JOB-001", "question");
        for kind in ["question", "error", "proof_gate"] {
            report(&one, "JOB-002", kind);
        }
        app.later(Ttl::from_secs(86_400));
        let counts = one.does("jobs.overview", json!({}))["counts"].clone();
        let markers = ["error", "question", "proof", "stale"];
        assert_eq!(markers.map(|marker| counts[marker].as_u64().unwrap()), [1, 2, 1, 2], "{counts}");
        for (marker, expected) in markers.into_iter().zip([1, 2, 1, 2]) {
            for order in ["pressing", "newest"] {
                let seen = one.does("jobs.overview", json!({"marker": marker, "order": order}));
                assert_eq!(titles(&seen).len(), expected, "{marker} {order}: {seen}");
                assert!(titles(&seen).contains(&"All of it".to_owned()), "{marker} {order}: {seen}");
            }
        }
        // The marker of a job is still the most pressing one.
        assert_eq!(one.does("jobs.overview", json!({}))["jobs"][0]["marker"], "error");
    });
}

#[test]
fn each_filter_narrows_and_all_of_them_hold_together() {
    on_every_backend(|app| {
        let [one, two] = two_rooms(&app);
        one.does("tasks.create", json!({"title": "t"}));
        one.does("tasks.anchor.set", json!({"anchor": "a:core", "title": "The core"}));
        create(&one, "Of the task", json!({"task": "TASK-001", "anchor": "a:core", "priority": "high"}));
        let listed = |input: Value| titles(&one.does("jobs.overview", input));
        let room = one.room();
        assert_eq!(listed(json!({"marker": "question"})), ["Asks elsewhere", "Asks"]);
        assert_eq!(listed(json!({"marker": "stale"})), ["Stale"]);
        assert_eq!(listed(json!({"marker": "question", "order": "newest"})), ["Asks elsewhere", "Asks"]);
        assert_eq!(listed(json!({"status": "FAILED"})), ["Over"]);
        assert_eq!(listed(json!({"status": "QUEUED", "room_id": room})), ["Of the task", "Waits"]);
        assert_eq!(listed(json!({"task": "TASK-001"})), ["Of the task"]);
        assert_eq!(listed(json!({"anchor": "a:core", "order": "oldest"})), ["Of the task"]);
        assert_eq!(listed(json!({"executor": "codex"})), ["Asks elsewhere"]);
        assert_eq!(listed(json!({"runner": two.id()})), ["Asks elsewhere"]);
        assert_eq!(listed(json!({"text": "ELSEWHERE"})), ["Asks elsewhere", "Waits elsewhere"]);
        assert_eq!(listed(json!({"text": "job-007", "order": "newest"})), ["Over"]);
        assert_eq!(listed(json!({"text": "waits", "status": "RUNNING"})), Vec::<String>::new());
        let refused = one.refused("jobs.overview", json!({"task": "TASK-001", "anchor": "a:core"}));
        assert_eq!([&refused["error"], &refused["field"]], ["INVALID_INPUT", "anchor"]);
    });
}

#[test]
fn every_order_is_paged_through_without_gaps_and_without_repeating() {
    on_every_backend(|app| {
        let [one] = app.joined(["one"]);
        let all: Vec<String> = (1..=23).map(|number| format!("Job {number:02}")).collect();
        for title in &all {
            create(&one, title, json!({}));
        }
        let newest: Vec<String> = all.iter().rev().cloned().collect();
        let walk = |input: Value| {
            let (mut found, mut cursor) = (Vec::new(), Value::Null);
            loop {
                let mut asked = input.clone();
                asked["limit"] = json!(5);
                asked["cursor"] = cursor;
                let page = one.does("jobs.overview", asked);
                found.extend(titles(&page));
                cursor = page["cursor"].clone();
                if cursor.is_null() {
                    assert_eq!(page["has_more"], false);
                    return found;
                }
            }
        };
        let room = one.room();
        assert_eq!(walk(json!({})), newest);
        assert_eq!(walk(json!({"room_id": room})), newest);
        assert_eq!(walk(json!({"room_id": room, "order": "newest"})), newest);
        assert_eq!(walk(json!({"room_id": room, "order": "oldest"})), all);
        assert_eq!(walk(json!({"order": "oldest"})), all);
        assert_eq!(walk(json!({"room_id": room, "order": "newest", "status": "QUEUED"})), newest);
        assert_eq!(walk(json!({"room_id": room, "order": "oldest", "status": "QUEUED"})), all);
        assert_eq!(walk(json!({"room_id": room, "order": "oldest", "text": "job 1"})), all[9..19]);
    });
}

#[test]
fn runners_say_what_they_can_do_and_until_when_they_count_as_there() {
    on_every_backend(|app| {
        let [one] = app.joined(["one"]);
        create(&one, "Work", json!({}));
        let can = json!({
            "executors": [{"executor": "codex", "profiles": ["fast", "deep"]}], "max_parallel": 3,
            "supports_artifacts": true,
        });
        one.does(
            "jobs.runner.heartbeat",
            json!({"runner_id": "r1", "status": "live", "active_job_id": "JOB-001", "capabilities": can}),
        );
        let seen = one.does("jobs.overview", json!({}));
        let runner = &seen["runners"][0];
        assert_eq!([&runner["runner_id"], &runner["status"]], ["r1", "live"]);
        assert_eq!((&runner["jobs"], &runner["capabilities"]["max_parallel"]), (&json!(["JOB-001"]), &json!(3)));
        assert!(runner["lease_expires_at"].is_string());
        let diag = &seen["diagnostics"][0];
        assert_eq!(diag["kind"], "active_job_not_running");
        assert!(diag["about"].as_str().unwrap().contains("nobody is doing"), "{diag}");
        assert_eq!(seen["rooms"][0]["cmd"], Value::Null);
        let only = one.does("jobs.overview", json!({"only_jobs": true}));
        assert_eq!((&only["counts"], &only["runners"]), (&Value::Null, &json!([])));
    });
}
