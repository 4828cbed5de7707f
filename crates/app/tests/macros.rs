//! Delegating and fanning out in one step.
#![expect(clippy::unwrap_used, reason = "these are tests; a failed step ends the test")]

use baton_testkit::{Agent, on_every_backend};
use serde_json::{Value, json};

fn prompt(agent: &Agent<'_>, job: &str) -> String {
    agent.does("jobs.open", json!({"job": job, "include_prompt": true}))["prompt"].as_str().unwrap().to_owned()
}

#[test]
fn delegating_makes_a_task_with_a_definition_of_done_and_a_job_for_it() {
    on_every_backend(|app| {
        let [manager] = app.joined(["manager"]);
        let delegated = manager.does(
            "tasks.macro.delegate",
            json!({"title": "Fix it", "prompt": "All of it.", "executor": "codex", "job_priority": "high"}),
        );
        assert_eq!([&delegated["task"], &delegated["ref"]], ["TASK-001", "JOB-001@4"]);
        let job = &delegated["job"];
        assert_eq!([&job["task"], &job["priority"], &job["meta"]["executor"]], ["TASK-001", "HIGH", "codex"]);
        let task = manager.does("tasks.show", json!({"task": "TASK-001"}));
        assert!(task["definition_of_done"].as_str().unwrap().contains("proof"), "{task}");
        assert_eq!(task["verification"].as_array().unwrap().len(), 2);
        let again = manager.does("tasks.macro.delegate", json!({"title": "More", "prompt": "x", "task": "TASK-001"}));
        assert_eq!([&again["task"], &again["job"]["job"]], ["TASK-001", "JOB-002"]);
    });
}

#[test]
fn an_existing_task_is_not_given_another_definition_of_done_in_passing() {
    on_every_backend(|app| {
        let [manager] = app.joined(["manager"]);
        manager.does("tasks.create", json!({"title": "t"}));
        for (field, value) in [("definition_of_done", json!("soon")), ("verification", json!(["look"]))] {
            let refused = manager.refused(
                "tasks.macro.delegate",
                json!({"title": "x", "prompt": "x", "task": "TASK-001", field: value}),
            );
            assert_eq!((&refused["error"], &refused["field"]), (&json!("INVALID_INPUT"), &json!(field)));
        }
        let refused = manager.refused("tasks.macro.delegate", json!({"title": "x", "prompt": "x", "task": "TASK-009"}));
        assert_eq!(refused["error"], "UNKNOWN_ID");
        assert_eq!(manager.does("jobs.list", json!({}))["jobs"], json!([]), "nothing is half-done");
    });
}

#[test]
fn a_fan_out_makes_one_job_for_each_anchor_in_the_order_of_anchors() {
    on_every_backend(|app| {
        let [manager] = app.joined(["manager"]);
        for anchor in ["a:web", "a:core", "a:store"] {
            manager.does("tasks.anchor.set", json!({"anchor": anchor, "title": anchor}));
        }
        manager.does("tasks.macro.start", json!({"title": "Tidy up"}));
        let fanned = manager.does(
            "tasks.macro.fanout_jobs",
            json!({"anchors": ["a:web", "a:core", "a:store"], "prompt": "Tidy up.", "title_prefix": "Tidy"}),
        );
        assert_eq!(fanned["task"], "TASK-001", "the task that the manager has turned to");
        let made = |field: &str| -> Vec<Value> {
            fanned["jobs"].as_array().unwrap().iter().map(|job| job[field].clone()).collect()
        };
        assert_eq!(made("anchor"), ["a:core", "a:store", "a:web"]);
        assert_eq!(made("job"), ["JOB-001", "JOB-002", "JOB-003"]);
        assert!(made("ref")[0].as_str().unwrap().starts_with("JOB-001@"));
        assert_eq!(prompt(&manager, "JOB-001"), "Tidy up.\n\nAnchor: a:core");
        assert_eq!(manager.does("jobs.open", json!({"job": "JOB-003"}))["job"]["title"], "Tidy a:web");
    });
}

#[test]
fn a_fan_out_makes_all_of_its_jobs_or_none_and_at_most_ten() {
    on_every_backend(|app| {
        let [manager] = app.joined(["manager"]);
        manager.does("tasks.anchor.set", json!({"anchor": "a:core", "title": "The core"}));
        let fanout = |anchors: Vec<String>| json!({"anchors": anchors, "prompt": "x"});
        let unknown =
            manager.refused("tasks.macro.fanout_jobs", fanout(vec!["a:core".to_owned(), "a:none".to_owned()]));
        assert_eq!(unknown["error"], "UNKNOWN_ID");
        for anchors in [Vec::new(), (0..11).map(|number| format!("a:{number}")).collect()] {
            let refused = manager.refused("tasks.macro.fanout_jobs", fanout(anchors));
            assert_eq!([&refused["error"], &refused["field"]], ["INVALID_INPUT", "anchors"]);
        }
        assert_eq!(manager.does("jobs.list", json!({}))["jobs"], json!([]));
    });
}
