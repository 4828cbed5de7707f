//! Relays: what the model of a conversation's owner says becomes actions, or the end.

use baton_testkit::{Agent, on_every_backend};
use serde_json::{Value, json};

use super::scene::{events, list, session, sound, takes};

/// Hands in what a model said about task `t` in conversation `c`.
fn says(agent: &Agent<'_>, output: &Value) -> Value {
    agent.does("bus.relay", said(&output.to_string()))
}

fn said(output: &str) -> Value {
    json!({"output": output, "task_id": "t", "context": {"context_id": "c"}})
}

fn actions(actions: &[Value]) -> Value {
    json!({"type": "relay_actions", "actions": actions})
}

fn message(dst: &str) -> Value {
    json!({"type": "message", "dst": dst, "text": format!("for {dst}")})
}

#[test]
fn relay_actions_are_submitted_in_order_until_the_task_is_done() {
    on_every_backend(|app| {
        let [ana, bo, cy] = session(&app, ["ana", "bo", "cy"]);
        let new = json!({"type": "control", "dst": "Bo", "command": "new"});
        let mut planned = message("bo");
        planned["plan"] = json!({"steps": ["read", "write"], "note": "slowly"});
        let relayed = says(&ana, &actions(&[new, planned, message("cy")]));
        assert_eq!([&relayed["outcome"], &relayed["task_id"]], ["relayed", "t"]);
        let submitted = &relayed["submitted"];
        assert_eq!(
            (list(&submitted["actions"]).len(), &submitted["owner_id"], &submitted["task_id"]),
            (3, &json!("ana"), &json!("t"))
        );
        let taken = bo.does("bus.take", json!({}));
        assert_eq!([&taken["deliveries"][0]["command"], &taken["deliveries"][1]["kind"]], ["new", "user"]);
        assert_eq!(taken["deliveries"][1]["plan"], json!({"steps": ["read", "write"], "note": "slowly"}));
        assert_eq!(taken["deliveries"][1]["after_action_id"], taken["deliveries"][0]["action_id"]);
        assert_eq!(takes(&cy).len(), 1);
        says(&ana, &actions(&[message("cy")]));
        assert_eq!(takes(&cy).len(), 1, "turn after turn");
        let done = says(&ana, &json!({"type": "task_done", "summary": "done it"}));
        assert_eq!(
            (&done["outcome"], &done["text"], &done["submitted"]),
            (&json!("done"), &json!("done it"), &Value::Null)
        );
        let told = &events(&ana, &["task.done"])[0]["payload"];
        assert_eq!(told, &json!({"task_id": "t", "summary": "done it", "context_id": "c", "owner_id": "ana"}));
        assert_eq!(ana.refused("bus.relay", said("more"))["error"], "ALREADY_ENDED");
        sound(&app);
    });
}

#[test]
fn what_is_no_relay_is_an_answer_for_the_local_user_and_ends_it() {
    on_every_backend(|app| {
        for (output, problem) in [
            ("All is well.", Value::Null),
            ("```json\n{\"type\":\"task_done\"}\n```", Value::Null),
            (r#"{"type":"relay_actions","actions":[]}"#, json!("actions: must have 1 to 256 actions, not 0.")),
        ] {
            let [ana, bo] = session(&app, ["ana", "bo"]);
            let local = ana.does("bus.relay", said(output));
            assert_eq!(
                (&local["outcome"], &local["text"], &local["problem"]),
                (&json!("local"), &json!(output), &problem)
            );
            assert_eq!(events(&bo, &["task.done"])[0]["payload"]["summary"], output);
            assert_eq!(takes(&bo), [""; 0]);
            assert_eq!(ana.refused("bus.relay", said("more"))["error"], "ALREADY_ENDED");
            ana.does("bus.remove", json!({}));
        }
        let [ana, _] = session(&app, ["ana", "bo"]);
        let long = "ä".repeat(20_000);
        assert_eq!(ana.does("bus.relay", said(&long))["text"], json!(long), "the local user gets it all");
        let summary = events(&ana, &["task.done"])[0]["payload"]["summary"].as_str().unwrap().to_owned();
        assert!(summary.len() <= 16_384 && summary.ends_with(" [cut]"), "the log has as much as a message has");
        sound(&app);
    });
}

#[test]
fn only_the_conversations_owner_relays_and_ends_a_relay() {
    on_every_backend(|app| {
        let [ana, bo, _cy] = session(&app, ["ana", "bo", "cy"]);
        says(&ana, &actions(&[message("bo")]));
        let before = app.everything();
        for output in [actions(&[message("cy")]), json!({"type": "task_done"}), json!("nothing")] {
            assert_eq!(bo.refused("bus.relay", said(&output.to_string()))["error"], "NOT_OWNER", "{output}");
        }
        let stranger = app.agent("dot");
        stranger.enter(&ana.room());
        assert_eq!(stranger.refused("bus.relay", said("x"))["error"], "AGENT_NOT_FOUND");
        assert_eq!(
            ana.refused("bus.relay", said(&actions(&[message("nobody")]).to_string()))["error"],
            "UNKNOWN_RECIPIENT"
        );
        assert_eq!(app.everything(), before, "a target that is not there is not the end of the relay");
        ana.does("bus.task", json!({"task_id": "t", "status": "running", "context_id": "c"}));
        let unnamed = json!({"output": "x", "task_id": "t"});
        assert_eq!(bo.refused("bus.relay", unnamed)["error"], "NOT_OWNER", "the task says whose it is");
        sound(&app);
    });
}
