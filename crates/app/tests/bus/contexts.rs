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
        assert_eq!([&delivery["action_id"], &delivery["context"]["context_id"]], ["a1", "old"]);
        assert_eq!(delivery["after_action_id"], "n", "the conversation that it is for did not begin");
    });
}

#[test]
fn an_owner_leads_and_others_reply_and_no_conversation_changes_hands() {
    on_every_backend(|app| {
        let [ana, bo, cy] = session(&app, ["ana", "bo", "cy"]);
        ana.does("bus.submit", within("c", group("g", [user("bo", "a1")])));
        let refusal = bo.refused("bus.submit", within("c", group("h", [user("cy", "b1")])));
        assert_eq!([&refusal["error"], &refusal["owner"], &refusal["context_id"]], ["NOT_OWNER", "ana", "c"]);
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

#[test]
fn a_message_after_two_news_in_a_row_goes_to_the_conversation_of_the_first() {
    on_every_backend(|app| {
        // However the second one ends.
        for (number, second) in ["completed", "rejected", "error", ""].into_iter().enumerate() {
            let [ana, bo] = session(&app, ["ana", "bo"]);
            let named = |what: &str| format!("{what}{number}");
            let actions =
                [control("bo", &named("n"), "new"), control("bo", &named("m"), "new"), user("bo", &named("a"))];
            ana.does("bus.submit", within(&named("old"), group(&named("g"), actions)));
            let completed = |action: &str, context: &str| {
                let data = json!({"new_context_id": context});
                bo.does("bus.result", json!({"action_id": action, "status": "completed", "data": data}));
            };
            completed(&named("n"), &named("first"));
            match second {
                "completed" => completed(&named("m"), &named("second")),
                "" => {}
                status => drop(reports(&bo, &named("m"), status)),
            }
            let listed = ana.does("bus.actions", json!({"dst": "Bo", "open": true}));
            let listed = list(&listed["actions"]).iter().find(|action| action["action_id"] == named("a")).unwrap();
            let told = (&listed["context_id"], &listed["submitted_in"], &listed["after_action_id"]);
            assert_eq!(told, (&json!(named("first")), &json!(named("old")), &Value::Null));
            let taken = bo.does("bus.take", json!({}));
            let delivery = list(&taken["deliveries"]).iter().find(|told| told["action_id"] == named("a")).unwrap();
            assert_eq!(delivery["context"]["context_id"], named("first"), "{second}");
            assert_eq!(delivery["after_action_id"], Value::Null);
            let answered = submits(&bo, &named("r"), [reply("ana", &named("b"), &named("a"))]);
            assert_eq!(answered["context_id"], named("first"));
            bo.does("bus.remove", json!({}));
        }
    });
}

#[test]
fn a_new_that_failed_leaves_the_message_to_the_next_and_one_after_a_message_begins_another() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        let actions = [
            control("bo", "n1", "new"),
            control("bo", "n2", "new"),
            user("bo", "a1"),
            control("bo", "n3", "new"),
            user("bo", "a2"),
        ];
        ana.does("bus.submit", within("old", group("g", actions)));
        reports(&bo, "n1", "rejected");
        for (action, context) in [("n2", "second"), ("n3", "third")] {
            let data = json!({"new_context_id": context});
            bo.does("bus.result", json!({"action_id": action, "status": "completed", "data": data}));
        }
        let all = ana.does("bus.actions", json!({"src": "Ana"}));
        let told: Vec<_> = list(&all["actions"]).iter().map(|action| action["context_id"].as_str().unwrap()).collect();
        assert_eq!(told, ["old", "old", "second", "second", "third"]);
        assert_eq!(all, ana.does("bus.actions", json!({"src": "ana"})), "by name as by id");
        assert_eq!(ana.refused("bus.actions", json!({"dst": "nobody"}))["field"], "dst");
        bo.does("bus.remove", json!({}));
        assert_eq!(list(&ana.does("bus.actions", json!({"dst": "Bo"}))["actions"]).len(), 5, "also of who left");
        sound(&app);
    });
}

#[test]
fn a_chain_is_counted_through_fresh_conversations_by_every_field_that_says_what_is_answered() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        for field in ["reply_to", "reply_to_action_id", "parent_message_id"] {
            let first = submits(&ana, &format!("{field}-0"), [user("bo", &format!("{field}-0"))]);
            let mut message = first["actions"][0]["message_id"].clone();
            let mut refused = Vec::new();
            for number in 1..=17 {
                let (by, to) = if number % 2 == 1 { (&bo, "ana") } else { (&ana, "bo") };
                let name = format!("{field}-{number}");
                let mut input = group(&name, [user(to, &name)]);
                input["context"] = json!({"context_id": name});
                let (command, input) = match field {
                    "reply_to" => {
                        let context = json!({"context_id": name});
                        (
                            "bus.send",
                            json!({"dst": to, "kind": "user", "text": "on", "reply_to": message, "context": context}),
                        )
                    }
                    "reply_to_action_id" => {
                        input["actions"][0]["reply_to_action_id"] = json!(format!("{field}-{}", number - 1));
                        ("bus.submit", input)
                    }
                    _ => {
                        input["context"]["parent_message_id"] = message.clone();
                        ("bus.submit", input)
                    }
                };
                match by.call(command, input) {
                    Ok(sent) if field == "reply_to" => message = sent["message_id"].clone(),
                    Ok(sent) => message = sent["actions"][0]["message_id"].clone(),
                    Err(refusal) => refused.push((number, refusal)),
                }
            }
            let told: Vec<_> = refused.iter().map(|(number, refusal)| (*number, refusal.code)).collect();
            assert_eq!(told, [(17, baton_core::code::ErrorCode::LoopDetected)], "{field}");
        }
        sound(&app);
    });
}

#[test]
fn a_reply_by_the_id_of_a_message_is_in_its_conversation_with_its_owner_and_task() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        let mut asked = within("c", group("g", [control("bo", "n", "new"), user("bo", "a1")]));
        asked["task_id"] = json!("t");
        let asked = ana.does("bus.submit", asked)["actions"][1]["message_id"].clone();
        let sent = ana.does("bus.send", json!({"dst": "bo", "text": "hello", "task_id": "u"}));
        let data = json!({"new_context_id": "fresh", "new_task_id": "v"});
        bo.does("bus.result", json!({"action_id": "n", "status": "completed", "data": data}));
        for (message, context, task) in
            [(&asked, &json!("fresh"), "v"), (&sent["message_id"], &sent["context_id"], "u")]
        {
            let replied =
                bo.does("bus.send", json!({"dst": "ana", "text": "yes", "kind": "reply", "reply_to": message}));
            assert_eq!((&replied["context_id"], &replied["task_id"]), (context, &json!(task)));
            let told = super::scene::events(&ana, &["message.created"]);
            let told = &told.last().unwrap()["payload"];
            assert_eq!((&told["owner_id"], &told["context_id"], &told["reply_to"]), (&json!("ana"), context, message));
        }
        sound(&app);
    });
}
