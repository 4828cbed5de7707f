//! Tasks: what there is to do, and who does it.

use std::thread;

use baton_app::doctor;
use baton_testkit::{Agent, on_every_backend};
use serde_json::{Value, json};

fn create(agent: &Agent<'_>, title: &str) -> Value {
    agent.does("tasks.create", json!({"title": title}))
}

fn ids(listed: &Value) -> Vec<&str> {
    listed["tasks"].as_array().expect("a list").iter().map(|task| task["task"].as_str().expect("a text")).collect()
}

#[test]
fn tasks_are_counted_in_each_room_from_one() {
    on_every_backend(|app| {
        app.workspace().dir("other");
        let [codex, claude] = app.joined(["codex", "claude"]);
        assert_eq!(create(&codex, "first")["task"], "TASK-001");
        assert_eq!(create(&claude, "second")["task"], "TASK-002");
        let other = app.workspace().text("other");
        codex.does("room.join", json!({"context_path": other, "force_new": true}));
        assert_eq!(create(&codex, "elsewhere")["task"], "TASK-001");
    });
}

#[test]
fn two_agents_that_create_tasks_at_once_never_get_the_same_number() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let elsewhere = app.beside();
        let claude_there = claude.through(&elsewhere);
        let create = |agent: &Agent<'_>| -> Vec<String> {
            (0..20)
                .map(|_| agent.does("tasks.create", json!({"title": "x"}))["task"].as_str().unwrap().to_owned())
                .collect()
        };
        let mut all = thread::scope(|scope| {
            let theirs = scope.spawn(|| create(&claude_there));
            [create(&codex), theirs.join().unwrap()].concat()
        });
        all.sort();
        assert_eq!(all, (1..=40).map(|number| format!("TASK-{number:03}")).collect::<Vec<_>>());
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn a_task_goes_from_open_to_in_progress_to_done() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let name = codex.does("agent.show", json!({}))["name"].clone();
        let task = codex.does("tasks.create", json!({"title": "Fix the parser", "scopes": ["src/lib/"]}));
        let expected = json!({
            "room_id": codex.room(), "task": "TASK-001", "title": "Fix the parser", "state": "open", "assignee": null,
            "assignee_agent": null, "scopes": ["src/lib"], "created_by": "codex",
            "created_at": "2026-01-01T00:00:00.000Z", "updated_at": "2026-01-01T00:00:00.000Z",
        });
        assert_eq!(task, expected);
        app.later_minutes(1);
        let started = codex.does("tasks.start", json!({"task": "TASK-001"}));
        assert_eq!((&started["state"], &started["assignee_agent"]), (&json!("in_progress"), &name));
        assert_eq!(started["updated_at"], "2026-01-01T00:01:00.000Z");
        assert_eq!(codex.does("agent.show", json!({}))["in_progress"], json!(["TASK-001"]));
        assert_eq!(codex.does("tasks.done", json!({"task": "task-1"}))["state"], "done");
        assert_eq!(codex.does("tasks.show", json!({"task": "TASK-001"}))["state"], "done");
        assert_eq!(codex.story(), "create join task.create task.start task.done");
        for (command, input) in
            [("tasks.start", json!({"task": "TASK-001"})), ("tasks.assign", json!({"task": "TASK-001"}))]
        {
            let refusal = codex.refused(command, input);
            assert_eq!([&refusal["error"], &refusal["state"]], ["PRECONDITION_FAILED", "done"], "{command}");
        }
        codex.does("tasks.done", json!({"task": "TASK-001"}));
        assert_eq!(codex.story(), "create join task.create task.start task.done", "what is so already is no event");
    });
}

#[test]
fn only_its_assignee_begins_or_ends_a_task_and_anybody_gives_it_away() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        claude.does("agent.register", json!({"name": "amber-otter"}));
        codex.does("tasks.create", json!({"title": "x", "assignee": "amber-otter"}));
        let before = app.everything();
        for command in ["tasks.start", "tasks.done"] {
            let refusal = codex.refused(command, json!({"task": "TASK-001"}));
            assert_eq!([&refusal["error"], &refusal["assignee"]], ["PRECONDITION_FAILED", "claude"]);
        }
        assert_eq!(app.everything(), before);
        claude.does("tasks.start", json!({"task": "TASK-001"}));
        assert_eq!(
            codex.does("tasks.assign", json!({"task": "TASK-001", "assignee": "codex"}))["state"],
            "in_progress"
        );
        assert_eq!(claude.refused("tasks.done", json!({"task": "TASK-001"}))["error"], "PRECONDITION_FAILED");
        let nobodys = codex.does("tasks.assign", json!({"task": "TASK-001"}));
        assert_eq!((&nobodys["state"], &nobodys["assignee"]), (&json!("open"), &json!(null)));
        assert_eq!(claude.does("tasks.done", json!({"task": "TASK-001"}))["state"], "done");
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn tasks_are_listed_newest_first_by_state_and_by_whose_they_are() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        for number in 1..=4 {
            create(&codex, &format!("task {number}"));
        }
        codex.does("tasks.start", json!({"task": "TASK-002"}));
        claude.does("tasks.start", json!({"task": "TASK-003"}));
        claude.does("tasks.done", json!({"task": "TASK-003"}));
        let list = |input: Value| codex.does("tasks.list", input);
        assert_eq!(ids(&list(json!({}))), ["TASK-004", "TASK-003", "TASK-002", "TASK-001"]);
        assert_eq!(ids(&list(json!({"state": "open"}))), ["TASK-004", "TASK-001"]);
        assert_eq!(ids(&list(json!({"state": "done"}))), ["TASK-003"]);
        assert_eq!(ids(&list(json!({"mine": true}))), ["TASK-002"]);
        let page = list(json!({"limit": 2}));
        assert_eq!((ids(&page), &page["has_more"]), (vec!["TASK-004", "TASK-003"], &json!(true)));
        assert_eq!(list(json!({"limit": 4}))["has_more"], false);
        for limit in [0, 201] {
            assert_eq!(codex.refused("tasks.list", json!({"limit": limit}))["error"], "INVALID_LIMIT");
        }
    });
}

#[test]
fn what_is_not_there_or_makes_no_sense_is_refused() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let stranger = app.agent("stranger");
        stranger.enter(&codex.room());
        create(&codex, "x");
        let before = app.everything();
        for (command, input, error) in [
            ("tasks.show", json!({"task": "TASK-002"}), "UNKNOWN_ID"),
            ("tasks.start", json!({"task": "TASK-002"}), "UNKNOWN_ID"),
            ("tasks.create", json!({"title": " "}), "INVALID_ARGS"),
            ("tasks.create", json!({"title": "x".repeat(201)}), "INVALID_ARGS"),
            ("tasks.create", json!({"title": "x", "assignee": "nobody"}), "AGENT_NOT_FOUND"),
            ("tasks.create", json!({"title": "x", "scopes": ["../elsewhere"]}), "INVALID_ARGS"),
            ("tasks.assign", json!({"task": "TASK-001", "assignee": "nobody"}), "AGENT_NOT_FOUND"),
            ("tasks.show", json!({"task": "bb-1"}), "INVALID_INPUT"),
        ] {
            assert_eq!(codex.refused(command, input.clone())["error"], error, "{command} {input}");
        }
        for (command, input) in [
            ("tasks.create", json!({"title": "x"})),
            ("tasks.start", json!({"task": "TASK-001"})),
            ("tasks.done", json!({"task": "TASK-001"})),
            ("tasks.assign", json!({"task": "TASK-001", "assignee": "codex"})),
        ] {
            assert_eq!(stranger.refused(command, input)["error"], "AGENT_NOT_FOUND", "{command}");
        }
        assert_eq!(app.everything(), before);
        codex.does("room.close", json!({"expected_turn_id": 0}));
        assert_eq!(codex.refused("tasks.create", json!({"title": "x"}))["error"], "room_closed");
        assert_eq!(ids(&codex.does("tasks.list", json!({}))), ["TASK-001"], "a closed room can be read");
    });
}

#[test]
fn the_same_key_creates_one_task() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let input = json!({"title": "x", "idempotency_key": "k"});
        let first = codex.does("tasks.create", input.clone());
        assert_eq!(codex.does("tasks.create", input), first);
        let other = codex.refused("tasks.create", json!({"title": "y", "idempotency_key": "k"}));
        assert_eq!(other["error"], "idempotency_conflict");
        assert_eq!(ids(&codex.does("tasks.list", json!({}))), ["TASK-001"]);
    });
}

#[test]
fn tasks_are_listed_in_pages_that_go_on_where_the_last_ended() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let title = "x".repeat(200);
        for _ in 0..60 {
            codex.does("tasks.create", json!({"title": title}));
        }
        let (mut seen, mut before) = (Vec::new(), Value::Null);
        loop {
            let page = codex.does("tasks.list", json!({"limit": 200, "before": before}));
            assert!(page.to_string().len() <= 12_000, "a page is passed on whole");
            let tasks = page["tasks"].as_array().unwrap().clone();
            before = tasks.last().unwrap()["task"].clone();
            seen.extend(tasks.into_iter().map(|task| task["task"].as_str().unwrap().to_owned()));
            if page["has_more"] == false {
                break;
            }
        }
        let expected: Vec<String> = (1..=60).rev().map(|number| format!("TASK-{number:03}")).collect();
        assert_eq!(seen, expected);
    });
}
