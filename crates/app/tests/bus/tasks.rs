//! Tasks of conversations, as their agents tell of them.

use baton_testkit::on_every_backend;
use serde_json::{Value, json};

use super::scene::{events, group, session, sound, user};

#[test]
fn a_task_is_told_as_updated_until_it_is_done_once() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        let mut submission = group("g", [user("bo", "a1")]);
        submission["context"] = json!({"context_id": "c"});
        submission["task_id"] = json!("t");
        ana.does("bus.submit", submission);
        for status in ["running", "blocked", "ready"] {
            bo.does("bus.task", json!({"task_id": "t", "status": status, "context_id": "c"}));
        }
        bo.does("bus.task_done", json!({"task_id": "t", "summary": "all of it"}));
        let told: Vec<(Value, Value)> = events(&ana, &["task.updated", "task.done"])
            .into_iter()
            .map(|event| (event["type"].clone(), event["payload"].clone()))
            .collect();
        let updated = |status: &str| {
            let payload = json!({"task_id": "t", "status": status, "context_id": "c", "owner_id": "ana"});
            (json!("task.updated"), payload)
        };
        let done = json!({"task_id": "t", "summary": "all of it", "context_id": "c", "owner_id": "ana"});
        assert_eq!(told, [updated("running"), updated("blocked"), updated("ready"), (json!("task.done"), done)]);
        for (command, input) in [
            ("bus.task", json!({"task_id": "t", "status": "running"})),
            ("bus.task", json!({"task_id": "t", "status": "done"})),
            ("bus.task_done", json!({"task_id": "t"})),
        ] {
            assert_eq!(ana.refused(command, input)["error"], "ALREADY_ENDED");
        }
        assert_eq!(ana.refused("bus.task", json!({"task_id": "u", "status": "half"}))["error"], "INVALID_INPUT");
        assert_eq!(ana.refused("bus.task_done", json!({"task_id": "u", "context_id": "x"}))["field"], "context_id");
        sound(&app);
    });
}
