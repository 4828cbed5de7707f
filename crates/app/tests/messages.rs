//! Messages: who gets one, how it climbs, and what its sender learns.

use baton_app::doctor;
use baton_testkit::{Agent, TestApp, on_every_backend};
use serde_json::{Value, json};

/// codex as amber-otter and claude as cobalt-harbor.
fn pair(app: &TestApp) -> [Agent<'_>; 2] {
    let [codex, claude] = app.joined(["codex", "claude"]);
    codex.does("agent.register", json!({"name": "amber-otter"}));
    claude.does("agent.register", json!({"name": "cobalt-harbor"}));
    [codex, claude]
}

fn handoff(to: &str) -> Value {
    json!({
        "to": to, "category": "HANDOFF", "subject": "Parser", "summary": "The lexer is done.",
        "next_action": "Write the parser.",
    })
}

fn info(to: &str) -> Value {
    json!({"to": to, "category": "INFO", "subject": "Names", "body": "Snake case."})
}

fn with(mut input: Value, field: &str, value: impl Into<Value>) -> Value {
    input[field] = value.into();
    input
}

fn each<'a>(list: &'a Value, field: &str) -> Vec<&'a Value> {
    list.as_array().expect("a list").iter().map(|entry| &entry[field]).collect()
}

fn items(agent: &Agent<'_>, state: &str) -> Value {
    agent.does("inbox.list", json!({"state": state}))["items"].clone()
}

/// What became of the newest message of an agent.
fn deliveries(agent: &Agent<'_>) -> Value {
    agent.does("inbox.sent", json!({}))["messages"][0]["deliveries"].clone()
}

#[test]
fn a_message_is_queued_delivered_seen_and_accepted_and_its_sender_learns_of_each() {
    on_every_backend(|app| {
        let [codex, claude] = pair(&app);
        let message = codex.does("inbox.send", handoff("cobalt-harbor"))["message"].clone();
        let mut states = vec![deliveries(&codex)[0]["state"].clone()];
        app.later_minutes(1);
        let listed = items(&claude, "pending");
        assert_eq!((&listed[0]["message"], &listed[0]["state"]), (&message, &json!("delivered")));
        states.push(deliveries(&codex)[0]["state"].clone());
        app.later_minutes(1);
        let read = claude.does("inbox.read", json!({"message": message}));
        assert_eq!(read["event"]["payload"]["next_action"], "Write the parser.");
        states.push(deliveries(&codex)[0]["state"].clone());
        app.later_minutes(1);
        claude.does("inbox.ack", json!({"message": message, "note": "on it"}));
        let at = |minute: u32| json!(format!("2026-01-01T00:0{minute}:00.000Z"));
        let expected = json!([{
            "agent_id": "claude", "agent": "cobalt-harbor", "state": "accepted",
            "delivered_at": at(1), "seen_at": at(2), "accepted_at": at(3), "note": "on it",
        }]);
        assert_eq!(deliveries(&codex), expected);
        assert_eq!(states, ["queued", "delivered", "seen"]);
        assert_eq!(items(&claude, "pending"), json!([]));
        assert_eq!(codex.story(), "create join join register register HANDOFF deliver see accept");
        for command in ["inbox.read", "inbox.ack"] {
            claude.does(command, json!({"message": message}));
        }
        claude.does("inbox.list", json!({"state": "all"}));
        assert_eq!(
            codex.story(),
            "create join join register register HANDOFF deliver see accept",
            "no step is taken twice"
        );
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn accepting_a_message_that_was_not_read_sets_both_times() {
    on_every_backend(|app| {
        let [codex, claude] = pair(&app);
        let message = codex.does("inbox.send", handoff("claude"))["message"].clone();
        app.later_minutes(2);
        let accepted = claude.does("inbox.ack", json!({"message": message}));
        assert_eq!((&accepted["seen_at"], &accepted["accepted_at"]), (&json!(app.now()), &json!(app.now())));
        let delivery = &deliveries(&codex)[0];
        assert_eq!((&delivery["delivered_at"], &delivery["seen_at"]), (&json!(app.now()), &json!(app.now())));
        app.later_minutes(1);
        assert_eq!(claude.does("inbox.ack", json!({"message": message})), accepted, "once and for all");
    });
}

#[test]
fn only_its_recipient_reads_or_accepts_a_message() {
    on_every_backend(|app| {
        let [codex, claude] = pair(&app);
        let [gemini] = app.joined(["gemini"]);
        let message = codex.does("inbox.send", handoff("claude"))["message"].clone();
        let before = app.everything();
        for other in [&codex, &gemini] {
            for (command, error) in [("inbox.read", "READ_FORBIDDEN"), ("inbox.ack", "ACK_FORBIDDEN")] {
                let refusal = other.refused(command, json!({"message": message}));
                assert_eq!((&refusal["error"], &refusal["recipients"]), (&json!(error), &json!(["claude"])));
                let sentence = refusal["message"].as_str().expect("the sentence is not hidden by the number");
                assert!(sentence.contains("is not addressed to you"), "{refusal}");
                assert_eq!(refusal["message_id"], message);
            }
        }
        for command in ["inbox.read", "inbox.ack"] {
            for nothing in [json!(1), json!(999), json!("proto_20260101_999")] {
                assert_eq!(claude.refused(command, json!({"message": nothing}))["error"], "MESSAGE_NOT_FOUND");
            }
            assert_eq!(claude.refused(command, json!({"message": "proto"}))["error"], "INVALID_INPUT");
        }
        assert_eq!(app.everything(), before);
        let id = claude.does("inbox.read", json!({"message": message}))["event"]["id"].clone();
        assert_eq!(claude.does("inbox.ack", json!({"message": id}))["message"], message, "by the protocol's id too");
    });
}

#[test]
fn a_message_to_a_role_or_to_all_is_one_item_for_each_but_its_sender() {
    on_every_backend(|app| {
        let cast = app.joined(["codex", "claude", "gemini"]);
        for agent in &cast[1..] {
            agent.does("agent.register", json!({"role": "reviewer"}));
        }
        let [codex, claude, gemini] = &cast;
        let sent = codex.does("inbox.send", handoff("role:reviewer"));
        assert_eq!(
            (sent["recipients"].as_array().unwrap().len(), &sent["event"]["to_agent"]),
            (2, &json!("role:reviewer"))
        );
        claude.does("inbox.ack", json!({"message": sent["message"]}));
        assert_eq!(each(&deliveries(codex), "agent_id"), ["claude", "gemini"]);
        assert_eq!(each(&deliveries(codex), "state"), ["accepted", "queued"], "each climbs alone");
        let alone = claude.does("inbox.send", info("role:reviewer"));
        assert_eq!(alone["recipients"].as_array().unwrap().len(), 1, "not to itself");
        let all = gemini.does("inbox.send", info("broadcast"));
        assert_eq!((all["recipients"].as_array().unwrap().len(), &all["event"]["to_agent"]), (2, &json!("broadcast")));
        assert_eq!(items(gemini, "all").as_array().unwrap().len(), 2, "what claude and codex sent");
    });
}

#[test]
fn a_message_to_nobody_or_from_nobody_is_refused() {
    on_every_backend(|app| {
        let [codex, claude] = pair(&app);
        let stranger = app.agent("stranger");
        stranger.enter(&codex.room());
        let before = app.everything();
        for to in ["nobody", "amber-otter", "codex", "role:tester"] {
            let refusal = codex.refused("inbox.send", handoff(to));
            assert_eq!(
                (&refusal["error"], &refusal["agents"]),
                (&json!("UNKNOWN_RECIPIENT"), &json!(["cobalt-harbor"])),
                "{to}"
            );
        }
        assert_eq!(codex.refused("inbox.send", handoff("role:No Role"))["error"], "INVALID_ROLE");
        assert_eq!(stranger.refused("inbox.send", handoff("codex"))["error"], "UNKNOWN_SENDER");
        assert_eq!(stranger.refused("inbox.list", json!({}))["error"], "AGENT_NOT_FOUND");
        assert_eq!(app.everything(), before);
        claude.does("room.leave", json!({}));
        assert_eq!(codex.refused("inbox.send", handoff("broadcast"))["error"], "UNKNOWN_RECIPIENT");
    });
}

#[test]
fn what_has_to_be_accepted_is_tracked_until_it_is() {
    on_every_backend(|app| {
        let [codex, claude] = pair(&app);
        codex.does("inbox.send", handoff("claude"));
        codex.does("inbox.send", info("claude"));
        codex.does("inbox.send", with(info("claude"), "requires_ack", true));
        codex.does("inbox.send", with(handoff("claude"), "requires_ack", false));
        let waiting = || codex.does("inbox.sent", json!({"waiting": true}))["messages"].clone();
        let tracked = waiting();
        assert_eq!(each(&tracked, "category"), ["INFO", "HANDOFF"], "newest first");
        let numbers: Vec<Value> = each(&tracked, "message").into_iter().cloned().collect();
        let pending = items(&claude, "pending");
        assert_eq!(pending.as_array().unwrap().len(), 4);
        for item in each(&pending, "message") {
            claude.does("inbox.read", json!({"message": item}));
        }
        assert_eq!(each(&waiting(), "message"), each(&tracked, "message"), "seen is not accepted");
        assert_eq!(each(&items(&claude, "pending"), "requires_ack"), [true, true], "read, but not accepted");
        for message in numbers {
            claude.does("inbox.ack", json!({"message": message}));
        }
        assert_eq!((waiting(), items(&claude, "pending")), (json!([]), json!([])));
    });
}

#[test]
fn a_handoff_is_the_contracts_event_field_for_field() {
    on_every_backend(|app| {
        let [codex, claude] = pair(&app);
        codex.does("tasks.create", json!({"title": "Parse"}));
        codex.does("tasks.start", json!({"task": "TASK-001"}));
        let sent = codex.does("inbox.send", with(handoff("cobalt-harbor"), "scope", "src/components/sessions/*"));
        let expected = json!({
            "id": format!("proto_20260101_{:03}", sent["message"].as_u64().unwrap()),
            "version": "v1",
            "event_type": "HANDOFF",
            "project_root": app.workspace().text(""),
            "bead_id": "TASK-001",
            "from_agent": "amber-otter",
            "to_agent": "cobalt-harbor",
            "scope": "src/components/sessions/*",
            "created_at": "2026-01-01T00:00:00.000Z",
            "payload": {
                "subject": "Parser", "summary": "The lexer is done.", "next_action": "Write the parser.",
                "requires_ack": true,
            },
        });
        assert_eq!(sent["event"], expected);
        assert_eq!(claude.does("inbox.read", json!({"message": sent["message"]}))["event"], expected);
        let row = &claude.does("room.events", json!({"before": sent["message"].as_u64().unwrap() + 1}))["events"][0];
        assert_eq!((&row["event_type"], &row["protocol"]), (&json!("HANDOFF"), &expected), "a row of the timeline");
    });
}

#[test]
fn a_blocked_is_the_contracts_event_field_for_field() {
    on_every_backend(|app| {
        let [codex, claude] = pair(&app);
        let block = json!({
            "to": "claude", "category": "BLOCKED", "subject": "Schema", "blocker": "No access.", "requested_action": "Grant it.",
            "urgency": "high",
        });
        let sent = codex.does("inbox.send", with(block.clone(), "bead_id", "bb-u6f.6.3"));
        let expected = json!({
            "id": format!("proto_20260101_{:03}", sent["message"].as_u64().unwrap()),
            "version": "v1",
            "event_type": "BLOCKED",
            "project_root": app.workspace().text(""),
            "bead_id": "bb-u6f.6.3",
            "from_agent": "amber-otter",
            "to_agent": "cobalt-harbor",
            "scope": null,
            "created_at": "2026-01-01T00:00:00.000Z",
            "payload": {
                "subject": "Schema", "blocker": "No access.", "requested_action": "Grant it.", "urgency": "high",
                "requires_ack": true,
            },
        });
        assert_eq!(sent["event"], expected);
        let row = &claude.does("room.events", json!({}))["events"][0];
        assert_eq!((&row["event_type"], &row["protocol"]), (&json!("BLOCKED"), &expected));
        let refusal = codex.refused("inbox.send", with(block.clone(), "requires_ack", false));
        assert_eq!([&refusal["error"], &refusal["field"]], ["INVALID_MESSAGE", "requires_ack"]);
        assert_eq!(codex.refused("inbox.send", with(block, "urgency", "asap"))["error"], "INVALID_INPUT");
    });
}

#[test]
fn a_message_is_about_the_senders_task_unless_it_says_another() {
    on_every_backend(|app| {
        let [codex, _claude] = pair(&app);
        let bead = |input: Value| codex.does("inbox.send", input)["event"]["bead_id"].clone();
        assert_eq!(bead(info("claude")), json!(null), "it is at none");
        for _ in 0..2 {
            codex.does("tasks.create", json!({"title": "x"}));
        }
        codex.does("tasks.start", json!({"task": "TASK-002"}));
        assert_eq!(bead(info("claude")), "TASK-002");
        assert_eq!(bead(with(info("claude"), "bead_id", "task-1")), "TASK-001");
        assert_eq!(
            bead(with(info("claude"), "bead_id", "bb-u6f.6.3")),
            "bb-u6f.6.3",
            "beads are another program's to know"
        );
        let before = app.everything();
        assert_eq!(codex.refused("inbox.send", with(info("claude"), "bead_id", "TASK-003"))["error"], "UNKNOWN_ID");
        assert_eq!(codex.refused("inbox.send", with(info("claude"), "bead_id", "a b"))["error"], "INVALID_INPUT");
        assert_eq!(app.everything(), before);
    });
}

#[test]
fn what_a_person_accepts_is_on_record_as_the_persons() {
    on_every_backend(|app| {
        let [codex, claude] = pair(&app);
        let ana = app.person("human:ana");
        ana.join();
        let message = codex.does("inbox.send", handoff("broadcast"))["message"].clone();
        let before = app.everything();
        let to_claude = claude.does("inbox.send", handoff("codex"))["message"].clone();
        assert_eq!(
            ana.refused("inbox.ack", json!({"message": to_claude}))["error"],
            "ACK_FORBIDDEN",
            "not in another's name"
        );
        assert_eq!(app.everything()[0].1.len(), before[0].1.len() + 1);
        ana.does("inbox.ack", json!({"message": message}));
        let row = &codex.does("room.events", json!({}))["events"][0];
        assert_eq!([&row["event_type"], &row["from_agent_id"]], ["accept", "human:ana"]);
        assert_eq!(each(&deliveries(&codex), "agent_id"), ["claude", "human:ana"]);
        assert_eq!(each(&deliveries(&codex), "state"), ["queued", "accepted"]);
    });
}

#[test]
fn each_wrong_part_is_refused_with_its_field() {
    on_every_backend(|app| {
        let [codex, _claude] = pair(&app);
        let before = app.everything();
        for (input, field) in [
            (with(handoff("claude"), "summary", ""), "summary"),
            (with(handoff("claude"), "next_action", Value::Null), "next_action"),
            (with(handoff("claude"), "subject", "x".repeat(201)), "subject"),
            (with(handoff("claude"), "blocker", "x"), "blocker"),
            (with(info("claude"), "body", "x".repeat(16 * 1024 + 1)), "body"),
            (with(info("claude"), "body", "x".repeat(16 * 1024 - 10)), "message"),
        ] {
            let refusal = codex.refused("inbox.send", input);
            assert_eq!((&refusal["error"], &refusal["field"]), (&json!("INVALID_MESSAGE"), &json!(field)));
        }
        let refusal = codex.refused("inbox.send", with(info("claude"), "category", "NOTE"));
        assert_eq!([&refusal["error"], &refusal["field"]], ["INVALID_CATEGORY", "category"]);
        let outside = codex.refused("inbox.send", with(info("claude"), "scope", "../elsewhere"));
        assert_eq!([&outside["error"], &outside["field"]], ["INVALID_ARGS", "scope"]);
        for limit in [0, 201] {
            for command in ["inbox.list", "inbox.sent"] {
                assert_eq!(codex.refused(command, json!({"limit": limit}))["error"], "INVALID_LIMIT");
            }
        }
        assert_eq!(codex.refused("inbox.list", json!({"state": "lost"}))["error"], "INVALID_STATE");
        assert_eq!(app.everything(), before);
        codex.does("inbox.send", with(info("claude"), "body", "x".repeat(16 * 1024 - 200)));
    });
}

#[test]
fn the_same_key_sends_and_accepts_once() {
    on_every_backend(|app| {
        let [codex, claude] = pair(&app);
        let input = with(handoff("claude"), "idempotency_key", "k");
        let first = codex.does("inbox.send", input.clone());
        assert_eq!(codex.does("inbox.send", input), first);
        let other = codex.refused("inbox.send", with(info("claude"), "idempotency_key", "k"));
        assert_eq!(other["error"], "idempotency_conflict");
        let ack = json!({"message": first["message"], "idempotency_key": "a"});
        let accepted = claude.does("inbox.ack", ack.clone());
        app.later_minutes(1);
        assert_eq!(claude.does("inbox.ack", ack), accepted);
        assert_eq!(items(&claude, "all").as_array().unwrap().len(), 1);
    });
}

#[test]
fn a_closed_room_takes_no_messages_and_shows_those_it_has() {
    on_every_backend(|app| {
        let [codex, claude] = pair(&app);
        let message = codex.does("inbox.send", handoff("claude"))["message"].clone();
        codex.does("room.close", json!({"expected_turn_id": 0}));
        let before = app.everything();
        assert_eq!(codex.refused("inbox.send", handoff("claude"))["error"], "room_closed");
        assert_eq!(claude.refused("inbox.ack", json!({"message": message}))["error"], "room_closed");
        let read = claude.does("inbox.read", json!({"message": message}));
        assert_eq!((&read["state"], &read["seen_at"], read.get("next")), (&json!("queued"), &json!(null), None));
        assert_eq!(read["event"]["payload"]["subject"], "Parser");
        assert_eq!(each(&items(&claude, "pending"), "state"), ["queued"], "being told of it changes nothing any more");
        assert_eq!(deliveries(&codex)[0]["state"], "queued");
        assert_eq!(app.everything(), before);
    });
}

/// What became of all that an agent sent, page by page.
fn all_sent(agent: &Agent<'_>) -> Vec<Value> {
    let (mut all, mut before) = (Vec::new(), Value::Null);
    loop {
        let page = agent.does("inbox.sent", json!({"limit": 200, "before": before}));
        all.extend(page["messages"].as_array().into_iter().flatten().cloned());
        before = all.last().map_or(Value::Null, |last| last["message"].clone());
        if page.get("has_more").is_none() {
            return all;
        }
    }
}

#[test]
fn an_inbox_is_read_page_by_page_and_only_what_was_shown_is_delivered() {
    on_every_backend(|app| {
        let [codex, claude] = pair(&app);
        for number in 0..60 {
            codex.does("inbox.send", with(info("claude"), "subject", format!("{number} {}", "x".repeat(150))));
        }
        let (mut seen, mut after) = (Vec::new(), json!(0));
        loop {
            let page = claude.does("inbox.list", json!({"after": after, "limit": 200}));
            assert!(page.to_string().len() < 12_000, "{}", page.to_string().len());
            seen.extend(each(&page["items"], "message").into_iter().cloned());
            after = seen.last().unwrap().clone();
            let sent = all_sent(&codex);
            let told = sent.iter().filter(|sent| sent["deliveries"][0]["state"] == "delivered");
            assert_eq!((sent.len(), told.count()), (60, seen.len()));
            if page["has_more"] == false {
                break;
            }
        }
        let first = seen[0].as_u64().unwrap();
        assert_eq!(seen, (first..first + 60).map(Value::from).collect::<Vec<_>>());
        let two = claude.does("inbox.list", json!({"limit": 2}));
        assert_eq!((two["items"].as_array().unwrap().len(), &two["has_more"]), (2, &json!(true)));
        assert_eq!(claude.does("inbox.list", json!({}))["items"].as_array().unwrap().len(), 25);
        claude.does("inbox.read", json!({"message": seen[3]}));
        assert_eq!(each(&items(&claude, "seen"), "message"), [&seen[3]]);
        assert_eq!(items(&claude, "queued"), json!([]));
        assert_eq!(claude.does("inbox.list", json!({"after": u64::MAX}))["items"], json!([]), "there is no later one");
    });
}

#[test]
fn the_note_of_an_acknowledgement_reaches_whoever_sent_the_message() {
    on_every_backend(|app| {
        let [ana, bo, cy] = app.joined(["ana", "bo", "cy"]);
        let blocked =
            json!({"to": "broadcast", "category": "BLOCKED", "subject": "s", "blocker": "b", "requested_action": "r"});
        let message = ana.does("inbox.send", blocked)["message"].clone();
        bo.does("inbox.ack", json!({"message": message, "note": "use port 8081\u{0}"}));
        app.later_minutes(1);
        cy.does("inbox.ack", json!({"message": message}));
        cy.does("inbox.ack", json!({"message": message}));
        let sent = ana.does("inbox.sent", json!({}))["messages"][0].clone();
        let of = |name: &str| {
            let deliveries = sent["deliveries"].as_array().unwrap();
            deliveries.iter().find(|delivery| delivery["agent_id"] == name).unwrap().clone()
        };
        assert_eq!(
            (&of("bo")["state"], &of("bo")["note"]),
            (&json!("accepted"), &json!("use port 8081\u{fffd}")),
            "{sent}"
        );
        assert_eq!(of("bo")["accepted_at"], "2026-01-01T00:00:00.000Z");
        assert_eq!((&of("cy")["state"], &of("cy")["note"]), (&json!("accepted"), &Value::Null));
        cy.does("inbox.ack", json!({"message": message, "note": "later"}));
        cy.does("inbox.ack", json!({"message": message}));
        let sent = ana.does("inbox.sent", json!({}))["messages"][0].clone();
        let late = sent["deliveries"].as_array().unwrap().iter().find(|delivery| delivery["agent_id"] == "cy").unwrap();
        assert_eq!((&late["note"], &late["accepted_at"]), (&json!("later"), &of("cy")["accepted_at"]), "{sent}");
        let action =
            json!([{"type": "message", "dst": "bo", "action_id": "a", "action_index": 0, "kind": "user", "text": "t"}]);
        ana.does("bus.submit", json!({"group_id": "g", "actions": action}));
        let message = bo.does("inbox.list", json!({}))["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["message"].as_u64())
            .max();
        bo.does("inbox.ack", json!({"message": message, "status": "completed", "note": "done it"}));
        let sent = ana.does("inbox.sent", json!({}))["messages"][0].clone();
        assert_eq!(sent["deliveries"][0]["note"], "done it", "{sent}");
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn a_listing_carries_bodies_and_says_where_the_rest_of_a_long_one_is() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined(["ana", "bo"]);
        let send = |body: &str| {
            let input = json!({"to": "bo", "category": "INFO", "subject": "news", "body": body});
            ana.does("inbox.send", input)["message"].as_u64().unwrap()
        };
        send("The port is 8081.");
        let handoff = json!({"to": "bo", "category": "HANDOFF", "subject": "yours", "summary": "half done", "next_action": "run it"});
        ana.does("inbox.send", handoff);
        let long = send(&"ä".repeat(5_000));
        let listed = bo.does("inbox.list", json!({}))["items"].clone();
        assert_eq!((&listed[0]["body"], &listed[0]["rest"]), (&json!("The port is 8081."), &Value::Null));
        assert_eq!(listed[1]["body"], "half done\nnext: run it");
        let body = listed[2]["body"].as_str().unwrap();
        assert_eq!((body.chars().count(), body.ends_with("ä…")), (601, true));
        assert_eq!(listed[2]["rest"], format!("`inbox read` of {long} has all 5000 characters."));
        assert_eq!(listed[0]["state"], "delivered", "a listing delivers, and sees nothing");

        // All of them together are bounded too, and none is lost.
        for _ in 0..40 {
            send(&"words ".repeat(400));
        }
        let (mut after, mut found) = (json!(0), 0);
        loop {
            let page = bo.does("inbox.list", json!({"after": after, "limit": 200}));
            assert!(page.to_string().len() < 13_000, "{}", page.to_string().len());
            let items = page["items"].as_array().unwrap();
            let bodies: usize =
                items.iter().filter_map(|item| item["body"].as_str()).map(|body| body.chars().count()).sum();
            assert!(bodies < 6_100, "{bodies}");
            assert!(items.iter().all(|item| item["body"].is_string() || item["rest"].is_string()));
            found += items.len();
            if page["has_more"] != true {
                break;
            }
            after = items.last().unwrap()["message"].clone();
        }
        assert_eq!(found, 43);
    });
}
