//! Actions as an agent without a runtime of the bus finds them: in its inbox.

use baton_testkit::on_every_backend;
use serde_json::{Value, json};

use super::scene::{control, ends, list, reports, session, sound, standing, submits, takes, user};

#[test]
fn an_agent_finds_its_actions_in_its_inbox_and_ends_them_there() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        submits(&ana, "g", [user("bo", "a1"), control("bo", "a2", "interrupt")]);
        ana.does("bus.send", json!({"dst": "bo", "text": "by the way\nmore"}));
        let listed = bo.does("inbox.list", json!({}));
        let told: Vec<[&Value; 3]> = list(&listed["items"])
            .iter()
            .map(|item| [&item["category"], &item["subject"], &item["requires_ack"]])
            .collect();
        let expected = [
            [&json!("MESSAGE"), &json!("a1 for bo"), &json!(true)],
            [&json!("CONTROL"), &json!("/interrupt"), &json!(true)],
            [&json!("MESSAGE"), &json!("by the way"), &json!(false)],
        ];
        assert_eq!(told, expected);
        assert_eq!(takes(&bo), [""; 0], "who was told in one way was told");
        let [first, second] = [0, 1].map(|place| listed["items"][place]["message"].clone());
        let read = bo.does("inbox.read", json!({"message": first}));
        assert!(read.to_string().contains("a1 for bo"), "{read}");
        bo.does("inbox.ack", json!({"message": first}));
        assert_eq!(standing(&ana, "a1"), "accepted", "and so it is told on the bus");
        bo.does("inbox.ack", json!({"message": first, "status": "completed", "note": "there"}));
        assert_eq!(standing(&ana, "a1"), "completed: there");
        bo.does("inbox.ack", json!({"message": second, "status": "rejected"}));
        assert_eq!((ends(&ana, "a1"), ends(&ana, "a2")), (1, 1));
        assert_eq!(bo.refused("inbox.ack", json!({"message": first, "status": "error"}))["error"], "ALREADY_ENDED");
        sound(&app);
    });
}

#[test]
fn an_action_ends_a_wait_for_the_stick_and_a_result_takes_it_off_the_list() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        ana.claim();
        submits(&ana, "g", [user("bo", "a1")]);
        let waiting = |agent: &baton_testkit::Agent<'_>| agent.wait()["inbox"].clone();
        let told = waiting(&bo);
        assert!(told.to_string().contains('1'), "{told}");
        reports(&bo, "a1", "completed");
        assert_eq!(list(&bo.does("inbox.list", json!({}))["items"]).len(), 0);
        let sent = ana.does("inbox.sent", json!({}));
        assert_eq!(sent["messages"][0]["deliveries"][0]["state"], "accepted");
        sound(&app);
    });
}
