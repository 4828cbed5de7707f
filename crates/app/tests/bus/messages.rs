//! Messages that are no actions.

use baton_testkit::on_every_backend;
use serde_json::{Value, json};

use super::scene::{list, session, sound, submits, takes, user};

#[test]
fn a_message_reaches_one_or_everybody_and_nobody_owes_a_result() {
    on_every_backend(|app| {
        let [ana, bo, cy] = session(&app, ["ana", "bo", "cy"]);
        let sent = ana.does("bus.send", json!({"dst": "Bo", "text": "to you"}));
        assert_eq!(sent["recipients"], json!(["bo"]));
        assert_eq!(ana.does("bus.send", json!({"text": "to all"}))["recipients"], json!(["bo", "cy"]));
        assert_eq!(takes(&bo), ["to you", "to all"]);
        let taken = cy.does("bus.take", json!({}));
        let delivery = &taken["deliveries"][0];
        assert!(delivery["action_id"].is_null() && delivery["group_id"].is_null(), "{delivery}");
        assert_eq!([&delivery["type"], &delivery["kind"], &delivery["sender_name"]], ["message", "user", "Ana"]);
        assert_eq!(takes(&cy), [""; 0]);
        sound(&app);
    });
}

#[test]
fn a_message_answers_one_of_the_session_and_keeps_to_its_conversation() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        let first = ana.does("bus.send", json!({"dst": "bo", "text": "how?", "context": {"context_id": "c"}}));
        let answer = |kind: &str, reply_to: Value| json!({"dst": "ana", "text": "so", "kind": kind, "context": {"context_id": "c"}, "reply_to": reply_to});
        assert_eq!(bo.refused("bus.send", answer("user", first["message_id"].clone()))["error"], "NOT_OWNER");
        assert_eq!(bo.refused("bus.send", answer("reply", json!("evt_no_1")))["field"], "reply_to");
        bo.does("bus.send", answer("reply", first["message_id"].clone()));
        assert_eq!(bo.refused("bus.send", json!({"text": "so", "kind": "reply"}))["error"], "LOOP_DETECTED");
        assert_eq!(bo.refused("bus.send", json!({"text": "so", "kind": "system"}))["error"], "INVALID_INPUT");
        submits(&ana, "g", [user("bo", "a1")]);
        let said = ana.does("bus.messages", json!({}));
        let texts: Vec<&Value> = list(&said["messages"]).iter().map(|message| &message["payload"]["text"]).collect();
        assert_eq!(texts, ["how?", "so", "a1 for bo"]);
        assert_eq!(said["messages"][1]["payload"]["reply_to"], first["message_id"]);
        let rest = ana.does("bus.messages", json!({"after": said["messages"][0]["seq"], "limit": 1}));
        assert_eq!((list(&rest["messages"]).len(), &rest["has_more"]), (1, &json!(true)));
        sound(&app);
    });
}
