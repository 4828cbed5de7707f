//! From submitting to the last result.

use std::thread;

use baton_testkit::on_every_backend;
use serde_json::{Value, json};

use super::scene::{control, ends, group, list, named, reports, session, sound, standing, submits, takes, user};

#[test]
fn an_action_is_submitted_taken_reported_on_and_awaited() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        let submitted = submits(&ana, "g", [user("Bo", "a1"), control("bo", "a2", "review")]);
        let first = submitted["actions"][0]["seq"].as_u64().unwrap();
        let room = ana.room();
        let expected = json!({
            "room_id": room, "group_id": "g", "context_id": format!("ctx_{first}"), "owner_id": "ana",
            "task_id": format!("task_{first}"),
            "actions": [
                {"action_id": "a1", "action_index": 0, "dst": "bo", "seq": first, "message_id": format!("evt_{}_{first}", &room.as_str()[5..])},
                {"action_id": "a2", "action_index": 1, "dst": "bo", "seq": first + 1, "message_id": format!("evt_{}_{}", &room.as_str()[5..], first + 1)},
            ],
        });
        assert_eq!(submitted, expected);
        let taken = bo.does("bus.take", json!({}));
        let context = json!({"context_id": format!("ctx_{first}"), "owner_id": "ana"});
        let delivery = json!({
            "seq": first, "message_id": submitted["actions"][0]["message_id"], "src": "ana", "sender_name": "Ana",
            "sender_kind": "mcp_harness", "group_id": "g",
            "action_id": "a1", "action_index": 0, "type": "message", "kind": "user", "text": "a1 for Bo",
            "context": context, "task_id": format!("task_{first}"), "created_at": app.now(),
        });
        assert_eq!((&taken["deliveries"][0], &taken["has_more"]), (&delivery, &json!(false)));
        assert_eq!(takes(&bo), [""; 0], "being told of it delivers it");
        let sent = ana.does("inbox.sent", json!({}));
        assert_eq!(sent["messages"][1]["deliveries"][0]["state"], "delivered");
        let waited = ana.does("bus.await", json!({"group_id": "g"}));
        assert_eq!((&waited["ended"], &waited["open"]), (&json!(false), &json!(2)));
        for status in ["accepted", "queued", "blocked"] {
            let told = bo.does("bus.result", json!({"action_id": "a1", "status": status, "detail": "busy"}));
            assert_eq!((&told["action"]["status"], &told["action"]["terminal"]), (&json!(status), &json!(false)));
        }
        app.later_minutes(1);
        reports(&bo, "a1", "completed");
        reports(&bo, "a2", "rejected");
        let waited = ana.does("bus.await", json!({"group_id": "g"}));
        assert_eq!(
            (&waited["ended"], &waited["open"], &waited["actions"][0]["ended_at"]),
            (&json!(true), &json!(0), &json!(app.now()))
        );
        assert_eq!((ends(&ana, "a1"), ends(&ana, "a2")), (1, 1));
        assert_eq!(bo.refused("bus.result", json!({"action_id": "a1", "status": "error"}))["error"], "ALREADY_ENDED");
        sound(&app);
    });
}

#[test]
fn a_result_is_the_targets_and_must_agree_with_the_action() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        submits(&ana, "g", [user("bo", "a1"), user("bo", "a2")]);
        let report = |rest: Value| {
            let mut input = json!({"action_id": "a2", "status": "completed"});
            input.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            input
        };
        let cases = [
            (&ana, report(json!({})), "FORBIDDEN", Value::Null),
            (&bo, report(json!({"action_id": "a9"})), "UNKNOWN_ID", json!("action_id")),
            (&bo, report(json!({"group_id": "h"})), "INVALID_INPUT", json!("group_id")),
            (&bo, report(json!({"action_index": 0})), "INVALID_INPUT", json!("action_index")),
            (&bo, report(json!({"status": "finished"})), "INVALID_INPUT", json!("status")),
            (&bo, report(json!({"data": {"new_context_id": "x"}})), "INVALID_INPUT", json!("data")),
            (&bo, report(json!({"data": {"other": "x"}})), "INVALID_INPUT", json!("data")),
            (&bo, report(json!({"detail": "a\0b"})), "INVALID_INPUT", json!("detail")),
        ];
        let before = app.everything();
        for (by, input, error, field) in cases {
            let refusal = by.refused("bus.result", input.clone());
            assert_eq!(refusal["error"], error, "{input}: {refusal}");
            assert!(
                field.is_null()
                    || refusal["field"].as_str().is_none_or(|named| named.starts_with(field.as_str().unwrap())),
                "{refusal}"
            );
        }
        assert_eq!(app.everything(), before);
        bo.does("bus.result", report(json!({"group_id": "g", "action_index": 1, "detail": "ünï ✓"})));
        assert_eq!(standing(&ana, "a2"), "completed: ünï ✓");
    });
}

#[test]
fn a_target_gets_what_was_submitted_in_the_order_of_the_log_whoever_submitted_it() {
    on_every_backend(|app| {
        let [ana, bo, cy] = session(&app, ["ana", "bo", "cy"]);
        submits(&ana, "g1", [user("cy", "a1"), user("bo", "a2"), control("cy", "a3", "compact")]);
        submits(&bo, "g2", [user("cy", "b1"), user("cy", "b2")]);
        submits(&ana, "g3", [user("cy", "a4")]);
        cy.does("bus.send", json!({"dst": "ana", "text": "hello"}));
        let first = cy.does("bus.take", json!({"limit": 2}));
        assert_eq!((named(&first), &first["has_more"]), (vec!["a1".to_owned(), "a3".to_owned()], &json!(true)));
        assert_eq!(takes(&cy), ["b1", "b2", "a4"]);
        assert_eq!((takes(&bo), takes(&ana)), (vec!["a2".to_owned()], vec!["hello".to_owned()]));
        sound(&app);
    });
}

#[test]
fn who_comes_back_resumes_what_it_was_told_of_and_did_not_end() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        let submitted = submits(&ana, "g", [user("bo", "a1"), user("bo", "a2"), user("bo", "a3")]);
        assert_eq!(takes(&bo).len(), 3);
        reports(&bo, "a1", "completed");
        reports(&bo, "a2", "accepted");
        submits(&ana, "h", [user("bo", "a4")]);
        let resume = |after: &Value| named(&bo.does("bus.take", json!({"resume_after": after})));
        assert_eq!(resume(&json!(0)), ["a2", "a3", "a4"], "and what is new");
        assert_eq!(resume(&json!(0)), ["a2", "a3", "a4"], "as often as it asks");
        assert_eq!(resume(&submitted["actions"][1]["seq"]), ["a3", "a4"]);
        assert_eq!(takes(&bo), [""; 0]);
        submits(&ana, "i", [user("bo", "a5")]);
        assert_eq!(resume(&json!(9_999)), ["a5"], "what it was not told of comes anyway");
        assert_eq!(resume(&json!(u64::MAX)), [""; 0]);
        sound(&app);
    });
}

#[test]
fn what_does_not_fit_in_one_answer_is_delivered_with_the_next() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        let long = |action: &str| {
            let mut message = user("bo", action);
            message["text"] = json!("x".repeat(6_000));
            message
        };
        submits(&ana, "g", [long("a1"), long("a2"), long("a3")]);
        for action in ["a1", "a2", "a3"] {
            let taken = bo.does("bus.take", json!({}));
            assert_eq!((named(&taken), &taken["has_more"]), (vec![action.to_owned()], &json!(action != "a3")));
        }
        sound(&app);
    });
}

#[test]
fn a_target_waits_for_its_actions_and_a_sender_for_its_results() {
    on_every_backend(|app| {
        let [ana, bo] = session(&app, ["ana", "bo"]);
        thread::scope(|scope| {
            let taking = scope.spawn(|| bo.does("bus.take", json!({"max_wait_ms": 50_000})));
            submits(&ana, "g", [user("bo", "a1")]);
            assert_eq!(named(&taking.join().unwrap()), ["a1"]);
            let waiting = scope.spawn(|| ana.does("bus.await", json!({"group_id": "g", "max_wait_ms": 50_000})));
            reports(&bo, "a1", "accepted");
            reports(&bo, "a1", "completed");
            assert_eq!(waiting.join().unwrap()["ended"], true);
        });
        assert_eq!(ana.refused("bus.await", json!({"group_id": "nothing"}))["error"], "UNKNOWN_ID");
        for command in ["bus.take", "bus.await", "bus.history"] {
            let input = match command {
                "bus.await" => json!({"group_id": "g", "max_wait_ms": 50_001}),
                _ => json!({"max_wait_ms": 50_001}),
            };
            let refusal = ana.refused(command, input);
            assert_eq!([&refusal["error"], &refusal["field"]], ["INVALID_INPUT", "max_wait_ms"], "{command}");
        }
    });
}

#[test]
fn actions_are_listed_by_group_target_or_sender() {
    on_every_backend(|app| {
        let [ana, bo, cy] = session(&app, ["ana", "bo", "cy"]);
        submits(&ana, "g", [user("bo", "a1"), user("cy", "a2")]);
        submits(&bo, "h", [user("cy", "b1")]);
        reports(&cy, "a2", "completed");
        let names = |input: Value| -> Vec<String> {
            let found = ana.does("bus.actions", input);
            list(&found["actions"]).iter().map(|action| action["action_id"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(names(json!({})), ["a1", "a2", "b1"]);
        assert_eq!(names(json!({"group_id": "g"})), ["a1", "a2"]);
        assert_eq!(names(json!({"dst": "cy"})), ["a2", "b1"]);
        assert_eq!(names(json!({"dst": "cy", "open": true})), ["b1"]);
        assert_eq!(names(json!({"src": "ana"})), ["a1", "a2"]);
        assert_eq!(names(json!({"limit": 1})), ["a1"]);
        let after = ana.does("bus.actions", json!({}))["actions"][0]["seq"].clone();
        assert_eq!(names(json!({"after": after})), ["a2", "b1"]);
        for wrong in [json!({"open": true}), json!({"group_id": "g", "dst": "bo"}), json!({"limit": 201})] {
            assert!(ana.call("bus.actions", wrong.clone()).is_err(), "{wrong}");
        }
    });
}

#[test]
fn a_submission_that_is_refused_leaves_nothing_behind_and_names_the_field() {
    on_every_backend(|app| {
        let [ana, _bo] = session(&app, ["ana", "bo"]);
        submits(&ana, "g", [user("bo", "a1")]);
        let before = app.everything();
        let broken = |field: &str, value: Value| {
            let mut input = group("h", [user("bo", "b1"), user("bo", "b2")]);
            match value {
                Value::Null => drop(input["actions"][1].as_object_mut().unwrap().remove(field)),
                value => input["actions"][1][field] = value,
            }
            input
        };
        let cases = [
            (broken("dst", json!("nobody")), "UNKNOWN_RECIPIENT"),
            (broken("dst", json!("ana")), "UNKNOWN_RECIPIENT"),
            (broken("dst", Value::Null), "INVALID_INPUT"),
            (broken("action_id", Value::Null), "INVALID_INPUT"),
            (broken("action_id", json!("a1")), "DUPLICATE_ACTION"),
            (broken("action_id", json!("b1")), "DUPLICATE_ACTION"),
            (broken("action_id", json!("a b")), "INVALID_INPUT"),
            (broken("action_index", Value::Null), "INVALID_INPUT"),
            (broken("action_index", json!(0)), "INVALID_INPUT"),
            (broken("action_index", json!(-1)), "INVALID_INPUT"),
            (broken("kind", Value::Null), "INVALID_INPUT"),
            (broken("type", Value::Null), "INVALID_INPUT"),
            (broken("text", Value::Null), "INVALID_INPUT"),
            (broken("payload_ref", json!("x")), "INVALID_INPUT"),
        ];
        for (input, error) in cases {
            let refusal = ana.refused("bus.submit", input.clone());
            assert_eq!(refusal["error"], error, "{input}: {refusal}");
            let words = refusal.to_string();
            assert!(words.contains("actions[1]"), "{words}");
        }
        for missing in ["group_id", "actions"] {
            let mut input = group("h", [user("bo", "b1")]);
            input.as_object_mut().unwrap().remove(missing);
            assert_eq!(ana.refused("bus.submit", input)["error"], "INVALID_INPUT");
        }
        assert_eq!(app.everything(), before);
        let stranger = app.agent("dot");
        stranger.enter(&ana.room());
        assert_eq!(stranger.refused("bus.submit", group("h", [user("bo", "b1")]))["error"], "UNKNOWN_SENDER");
        assert_eq!(app.everything(), before);
    });
}
