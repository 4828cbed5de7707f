//! Tasks of conversations, as their agents tell of them.

use baton_testkit::on_every_backend;
use serde_json::{Value, json};

use super::scene::{control, events, group, list, session, sound, submits, user};

#[test]
fn a_task_is_told_as_updated_until_it_is_done_once() {
    on_every_backend(|app| {
        let [ana, _bo] = session(&app, ["ana", "bo"]);
        let mut submission = group("g", [user("bo", "a1")]);
        submission["context"] = json!({"context_id": "c"});
        submission["task_id"] = json!("t");
        ana.does("bus.submit", submission);
        for status in ["running", "blocked", "ready"] {
            ana.does("bus.task", json!({"task_id": "t", "status": status, "context_id": "c"}));
        }
        ana.does("bus.task_done", json!({"task_id": "t", "summary": "all of it"}));
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

#[test]
fn nobody_but_its_owner_and_an_operator_changes_a_task_by_any_command() {
    on_every_backend(|app| {
        let [ana, bo, cy] = session(&app, ["ana", "bo", "cy"]);
        let named = |context: &str, task: &str, action: &str| {
            let mut submission = group(action, [user("bo", action)]);
            submission["context"] = json!({"context_id": context});
            submission["task_id"] = json!(task);
            submission
        };
        ana.does("bus.submit", named("c", "t", "a1"));
        ana.does("bus.submit", named("c", "later", "a2"));
        let unnamed = submits(&ana, "g", [user("bo", "a3")])["task_id"].as_str().unwrap().to_owned();
        ana.does("bus.submit", group("n", [control("bo", "n", "new")]));
        let data = json!({"new_context_id": "fresh", "new_task_id": "fresh-task"});
        bo.does("bus.result", json!({"action_id": "n", "status": "completed", "data": data}));
        ana.does("bus.task", json!({"task_id": "alone", "status": "running"}));
        // In a conversation of its own the stranger may speak of them, which makes none of them its own.
        let carried = cy.refused("bus.submit", named("own4", "alone", "c4"));
        assert_eq!([&carried["error"], &carried["owner"]], ["NOT_OWNER", "ana"]);
        submits(&cy, "own4", [user("bo", "c4")]);
        for (number, task) in ["t", "later", &unnamed, "fresh-task"].into_iter().enumerate() {
            cy.does("bus.submit", named(&format!("own{number}"), task, &format!("c{number}")));
        }
        let before = app.everything();
        for (number, task) in ["t", "later", &unnamed, "fresh-task", "alone"].into_iter().enumerate() {
            let own = format!("own{number}");
            for stranger in [&bo, &cy] {
                for (command, input) in [
                    ("bus.task", json!({"task_id": task, "status": "blocked"})),
                    ("bus.task", json!({"task_id": task, "status": "done", "context_id": "c"})),
                    ("bus.task", json!({"task_id": task, "status": "done", "context_id": own})),
                    ("bus.task_done", json!({"task_id": task, "summary": "mine"})),
                    ("bus.task_done", json!({"task_id": task, "context_id": "c"})),
                    ("bus.relay", json!({"task_id": task, "output": "it is over"})),
                    ("bus.relay", json!({"task_id": task, "output": r#"{"type":"task_done"}"#})),
                ] {
                    let refusal = stranger.refused(command, input);
                    assert_eq!([&refusal["error"], &refusal["owner"]], ["NOT_OWNER", "ana"], "{task}");
                }
            }
        }
        assert_eq!(
            bo.refused("bus.task", json!({"task_id": "u", "status": "done", "context_id": "c"}))["error"],
            "NOT_OWNER"
        );
        assert_eq!(app.everything(), before);
        let olga = app.person("human:olga:pts1");
        olga.enter(&ana.room());
        olga.does("bus.task", json!({"task_id": "alone", "status": "blocked"}));
        ana.does("bus.task_done", json!({"task_id": "alone"}));
        olga.does("bus.task_done", json!({"task_id": "t", "summary": "enough"}));
        let done = events(&ana, &["task.done"]);
        assert_eq!(
            done[1]["payload"],
            json!({"task_id": "t", "summary": "enough", "context_id": "c", "owner_id": "ana"})
        );
        assert_eq!(done[1]["src"], "human:olga:pts1");
        sound(&app);
    });
}

#[test]
fn a_group_is_not_reopened_by_a_stranger_and_an_answer_in_it_keeps_nobody_waiting() {
    on_every_backend(|app| {
        let [ana, bo, cy] = session(&app, ["ana", "bo", "cy"]);
        submits(&ana, "g", [user("bo", "a1")]);
        bo.does("bus.result", json!({"action_id": "a1", "status": "completed"}));
        for stranger in [&bo, &cy] {
            let refusal = stranger.refused("bus.submit", group("g", [user("ana", "x1")]));
            assert_eq!([&refusal["error"], &refusal["owner"], &refusal["group_id"]], ["NOT_OWNER", "ana", "g"]);
            let relayed = json!({"type": "relay_actions", "actions": [{"type": "message", "dst": "ana", "text": "x"}]});
            let relayed = json!({"output": relayed.to_string(), "task_id": "own", "group_id": "g"});
            assert_eq!(stranger.refused("bus.relay", relayed)["error"], "NOT_OWNER");
        }
        submits(&bo, "g", [super::scene::reply("ana", "b1", "a1")]);
        let waited = ana.does("bus.await", json!({"group_id": "g"}));
        assert_eq!((&waited["ended"], list(&waited["actions"]).len()), (&json!(true), 2));
        submits(&ana, "g", [user("cy", "a2")]);
        assert_eq!(ana.does("bus.await", json!({"group_id": "g"}))["open"], 1, "its owner goes on with it");
        sound(&app);
    });
}
