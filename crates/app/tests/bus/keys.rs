//! A keyed request is carried out once, on whichever surface and in whichever process it arrives.

use baton_testkit::on_every_backend;
use serde_json::{Value, json};

use super::scene::{group, opens, session, sound, takes, user};

fn keyed(mut input: Value, key: &str) -> Value {
    input["idempotency_key"] = key.into();
    input
}

#[test]
fn the_same_key_of_the_same_agent_gets_the_first_answer_from_any_process() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        let input = keyed(group("g", [user("bo", "a1")]), "k");
        let first = ana.does("bus.submit", input.clone());
        let beside = app.beside();
        assert_eq!(ana.through(&beside).does("bus.submit", input.clone()), first);
        assert_eq!(takes(&bo), ["a1"], "it is delivered once");
        let other = keyed(group("g", [user("bo", "a2")]), "k");
        assert_eq!(ana.refused("bus.submit", other.clone())["error"], "idempotency_conflict");
        bo.does("bus.submit", keyed(group("h", [user("ana", "b1")]), "k"));
        let result = keyed(json!({"action_id": "a1", "status": "completed"}), "r");
        assert_eq!(
            bo.does("bus.result", result.clone()),
            bo.does("bus.result", result),
            "an end is told twice and happens once"
        );
        sound(&app);
    });
}

#[test]
fn every_command_of_the_bus_that_writes_takes_a_key() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        ana.does("bus.submit", group("g", [user("bo", "a1")]));
        let opened = ana.does("bus.open", keyed(json!({"name": "x"}), "open"));
        assert_eq!(ana.does("bus.open", keyed(json!({"name": "x"}), "open")), opened);
        let cases = [
            (&ana, "bus.rename", json!({"name": "talking"})),
            (&ana, "bus.add", json!({"name": "Ana"})),
            (&ana, "bus.update", json!({"id": "ana", "name": "Ana Lena"})),
            (&ana, "bus.send", json!({"text": "hello"})),
            (&bo, "bus.result", json!({"action_id": "a1", "status": "accepted"})),
            (&bo, "bus.task", json!({"task_id": "t", "status": "running"})),
            (&bo, "bus.task_done", json!({"task_id": "t"})),
            (&ana, "bus.relay", json!({"output": "x", "task_id": "u"})),
            (&bo, "bus.remove", json!({})),
            (&ana, "bus.close", json!({})),
        ];
        for (agent, command, input) in cases {
            let input = keyed(input, command);
            let first = agent.does(command, input.clone());
            let before = app.everything();
            assert_eq!(agent.does(command, input), first, "{command}");
            assert_eq!(app.everything(), before, "{command}");
        }
        sound(&app);
    });
}

#[test]
fn a_refused_request_may_be_tried_again_under_its_key() {
    on_every_backend(|app| {
        let [ana] = session(&app, ["ana"]);
        let input = keyed(group("g", [user("bo", "a1")]), "k");
        assert_eq!(ana.refused("bus.submit", input.clone())["error"], "UNKNOWN_RECIPIENT");
        let bo = app.agent("bo");
        super::scene::adds(&bo, &ana.room());
        ana.does("bus.submit", input);
        assert_eq!(takes(&bo), ["a1"]);
        assert_ne!(opens(&ana, "x"), opens(&ana, "x"), "without a key each is another");
    });
}
