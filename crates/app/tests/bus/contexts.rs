//! Conversations, and what a `new` does to what comes after it.

use baton_testkit::on_every_backend;
use serde_json::{Value, json};

use super::scene::{control, group, list, reply, reports, session, sound, submits, user};

fn within(context: &str, mut input: Value) -> Value {
    input["context"] = json!({"context_id": context});
    input
}

#[test]
fn messages_after_a_new_in_its_group_go_to_the_new_conversation() {
    on_every_backend(|app| {
        let [ana, bo, cy] = session(&app, ["ana", "bo", "cy"]);
        let actions = [user("bo", "before"), control("bo", "n", "new"), user("bo", "after"), user("cy", "elsewhere")];
        ana.does("bus.submit", within("old", group("g", actions)));
        ana.does("bus.submit", within("old", group("h", [user("bo", "later")])));
        let told = |agent: &baton_testkit::Agent<'_>| -> Vec<(Value, Value, Value)> {
            let taken = agent.does("bus.take", json!({"resume_after": 0}));
            let each = list(&taken["deliveries"]).iter();
            each.map(|delivery| {
                (
                    delivery["action_id"].clone(),
                    delivery["context"]["context_id"].clone(),
                    delivery["after_action_id"].clone(),
                )
            })
            .collect()
        };
        let row = |action: &str, context: &str, after: Value| (json!(action), json!(context), after);
        let unended = [
            row("before", "old", Value::Null),
            row("n", "old", Value::Null),
            row("after", "old", json!("n")),
            row("later", "old", Value::Null),
        ];
        assert_eq!(told(&bo), unended, "until the new has ended, it is named");
        bo.does(
            "bus.result",
            json!({"action_id": "n", "status": "completed", "data": {"new_context_id": "fresh", "new_task_id": "t2"}}),
        );
        let ended =
            [row("before", "old", Value::Null), row("after", "fresh", Value::Null), row("later", "old", Value::Null)];
        assert_eq!(told(&bo), ended);
        assert_eq!(told(&cy), [row("elsewhere", "old", Value::Null)]);
        let taken = bo.does("bus.take", json!({"resume_after": 0}));
        assert_eq!(taken["deliveries"][1]["task_id"], "t2");
        assert_eq!(taken["deliveries"][1]["context"]["owner_id"], "ana");
        // Its owner goes on there, and its target answers there.
        let answered = bo.does("bus.submit", group("r", [reply("ana", "answer", "after")]));
        assert_eq!(answered["context_id"], "fresh", "where it got the message");
        let answered = bo.does("bus.submit", group("s", [reply("ana", "answer-to-before", "before")]));
        assert_eq!(answered["context_id"], "old");
        ana.does("bus.submit", within("fresh", group("i", [user("bo", "more")])));
        assert_eq!(bo.refused("bus.submit", within("fresh", group("j", [user("cy", "x")])))["error"], "NOT_OWNER");
        sound(&app);
    });
}

#[test]
fn what_comes_after_a_new_that_was_rejected_says_so() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        ana.does("bus.submit", within("old", group("g", [control("bo", "n", "new"), user("bo", "a1")])));
        reports(&bo, "n", "rejected");
        let taken = bo.does("bus.take", json!({}));
        let delivery = &list(&taken["deliveries"])[0];
        assert_eq!((&delivery["action_id"], &delivery["context"]["context_id"]), (&json!("a1"), &json!("old")));
        assert_eq!(delivery["after_action_id"], "n", "the conversation that it is for did not begin");
    });
}

#[test]
fn an_owner_leads_and_others_reply_and_no_conversation_changes_hands() {
    on_every_backend(|app| {
        let [ana, bo, cy] = session(&app, ["ana", "bo", "cy"]);
        ana.does("bus.submit", within("c", group("g", [user("bo", "a1")])));
        let refusal = bo.refused("bus.submit", within("c", group("h", [user("cy", "b1")])));
        assert_eq!(
            (&refusal["error"], &refusal["owner"], &refusal["context_id"]),
            (&json!("NOT_OWNER"), &json!("ana"), &json!("c"))
        );
        assert_eq!(
            bo.refused("bus.submit", within("c", group("h", [control("ana", "b1", "interrupt")])))["error"],
            "NOT_OWNER"
        );
        let mut claimed = within("c", group("h", [user("cy", "b1")]));
        claimed["context"]["owner_id"] = json!("bo");
        assert_eq!(bo.refused("bus.submit", claimed)["field"], "context.owner_id");
        submits(&bo, "h", [reply("ana", "b1", "a1")]);
        assert_eq!(ana.refused("bus.submit", group("i", [reply("bo", "a2", "b1")]))["error"], "LOOP_DETECTED");
        submits(&cy, "k", [control("bo", "n", "new")]);
        let stolen = json!({"action_id": "n", "status": "completed", "data": {"new_context_id": "c"}});
        assert_eq!(bo.refused("bus.result", stolen)["field"], "data.new_context_id");
        ana.does("bus.submit", within("c", group("l", [user("bo", "a3")])));
        sound(&app);
    });
}

#[test]
fn a_chain_of_messages_is_followed_by_their_ids() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        let asked = submits(&ana, "g", [user("bo", "a1")])["actions"][0]["message_id"].clone();
        let replied = submits(&bo, "h", [reply("ana", "b1", "a1")])["actions"][0]["message_id"].clone();
        let after = |parent: &Value, action: &str| {
            let mut input = group(action, [user("ana", action)]);
            input["context"] = json!({"parent_message_id": parent});
            input
        };
        bo.does("bus.submit", after(&asked, "b2"));
        assert_eq!(bo.refused("bus.submit", after(&replied, "b3"))["error"], "LOOP_DETECTED");
        assert_eq!(bo.refused("bus.submit", after(&json!("evt_none_1"), "b3"))["error"], "INVALID_INPUT");
        sound(&app);
    });
}
