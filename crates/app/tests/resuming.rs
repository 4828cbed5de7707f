//! What goes on with an adopted identity, what is told of it, and what becomes of the session that had it.

use baton_app::doctor;
use baton_testkit::{Agent, TestApp, on_every_backend};
use serde_json::{Value, json};

/// A repository in which codex, called amber-otter, has left changes, a task and a scope behind; and claude.
fn scene(app: &TestApp) -> [Agent<'_>; 2] {
    app.workspace().repository("repo");
    app.workspace().file("repo/src/a.rs", "new\n");
    let [codex, claude] = ["codex", "claude"].map(|name| {
        let agent = app.agent(name);
        agent.join_at("repo");
        agent
    });
    codex.does("agent.register", json!({"name": "amber-otter", "role": "builder"}));
    claude.does("agent.register", json!({"name": "keen-crane"}));
    codex.does("tasks.create", json!({"title": "Parse", "scopes": ["src"]}));
    codex.does("tasks.start", json!({"task": "TASK-001"}));
    codex.does("scope.reserve", json!({"scopes": ["src"]}));
    [codex, claude]
}

/// Adopts amber-otter, once that has been silent for so long that it does not count as there.
fn adopts(app: &TestApp, agent: &Agent<'_>) -> Value {
    app.later_minutes(15);
    agent.does("agent.adopt", json!({"agent": "amber-otter"}))
}

fn sound(app: &TestApp) {
    let report = doctor::examine(app.app()).expect("the store can be read");
    assert!(report.is_clean(), "{:?}", report.checks);
}

#[test]
fn name_role_scopes_tasks_and_messages_go_on() {
    on_every_backend(|app| {
        let [codex, claude] = scene(&app);
        codex.does("tasks.create", json!({"title": "later", "assignee": "codex"}));
        codex.does("tasks.create", json!({"title": "over"}));
        codex.does("tasks.done", json!({"task": "TASK-003"}));
        let gemini = app.agent("gemini");
        gemini.join_at("repo");
        let note = |subject: &str| json!({"to": "amber-otter", "category": "INFO", "subject": subject, "body": "b"});
        let read = gemini.does("inbox.send", note("read"))["message"].clone();
        codex.does("inbox.read", json!({"message": read}));
        let waiting = gemini.does("inbox.send", note("waiting"))["message"].clone();
        let blocked = gemini
            .does("inbox.send", json!({"to": "amber-otter", "category": "BLOCKED", "subject": "s", "blocker": "b", "requested_action": "r"}))
            ["message"]
            .clone();
        codex.does("inbox.read", json!({"message": blocked}));

        let adopted = adopts(&app, &claude);
        assert_eq!([&adopted["adopted_agent"], &adopted["agent_id"]], ["amber-otter", "claude"]);
        assert_eq!((&adopted["scopes"], &adopted["messages"]), (&json!(["src"]), &json!(2)));
        let own = claude.does("agent.show", json!({}));
        assert_eq!([&own["name"], &own["role"]], ["amber-otter", "builder"]);
        assert_eq!((&own["scopes"], &own["in_progress"]), (&json!(["src"]), &json!(["TASK-001"])));
        let tasks = claude.does("tasks.list", json!({}))["tasks"].clone();
        let whose: Vec<_> = tasks.as_array().unwrap().iter().map(|task| task["assignee"].clone()).collect();
        assert_eq!(whose, [Value::Null, json!("claude"), json!("claude")], "newest first; what is over stays as it is");
        let inbox = claude.does("inbox.list", json!({}))["items"].clone();
        let told: Vec<_> = inbox.as_array().unwrap().iter().map(|item| (&item["message"], &item["state"])).collect();
        assert_eq!(told, [(&waiting, &json!("delivered")), (&blocked, &json!("seen"))]);
        claude.does("inbox.ack", json!({"message": blocked}));
        assert_eq!(gemini.does("inbox.sent", json!({"waiting": true}))["messages"], json!([]));
        assert_eq!(codex.does("inbox.sent", json!({}))["messages"], json!([]));
        sound(&app);
    });
}

#[test]
fn the_prior_session_has_left_and_comes_back_as_somebody_else() {
    on_every_backend(|app| {
        let [codex, claude] = scene(&app);
        claude.does("inbox.send", json!({"to": "codex", "category": "INFO", "subject": "s", "body": "b"}));
        adopts(&app, &claude);
        for (command, input) in [
            ("agent.heartbeat", json!({})),
            ("inbox.list", json!({})),
            ("tasks.done", json!({"task": "TASK-001"})),
            ("scope.release", json!({"scopes": ["src"]})),
        ] {
            assert_eq!(codex.refused(command, input)["error"], "AGENT_NOT_FOUND", "{command}");
        }
        assert_eq!(codex.refused("room.note", json!({"text": "x"}))["error"], "unknown_member");
        let name = codex.join_at("repo")["display_name"].clone();
        assert!(name != "amber-otter" && name != "keen-crane", "{name}");
        assert_eq!(codex.does("inbox.list", json!({}))["items"], json!([]));
        let own = codex.does("agent.show", json!({}));
        assert_eq!((&own["scopes"], &own["in_progress"], &own["role"]), (&json!([]), &json!([]), &json!(null)));
        for taken in ["amber-otter", "keen-crane"] {
            assert_eq!(codex.refused("agent.register", json!({"name": taken}))["error"], "DUPLICATE_AGENT_ID");
        }
        sound(&app);
    });
}

#[test]
fn whoever_left_is_gone_on_as_by_name_or_id() {
    on_every_backend(|app| {
        for named in ["amber-otter", "codex"] {
            let [codex, claude] = scene(&app);
            app.later_minutes(1);
            codex.does("room.leave", json!({}));
            let adopted = claude.does("agent.adopt", json!({"agent": named}));
            assert_eq!(
                [&adopted["resume_reason"], &adopted["adopted_agent"], &adopted["prior_liveness"]],
                ["in_progress_ownership", "amber-otter", "evicted"],
                "what it had reserved ended when it left"
            );
            assert_eq!(claude.does("agent.show", json!({}))["in_progress"], json!(["TASK-001"]));
            sound(&app);
            claude.does("room.close", json!({"expected_turn_id": 0}));
        }
    });
}

#[test]
fn the_stick_stays_with_its_holder_and_is_taken_over_as_usual() {
    on_every_backend(|app| {
        let [codex, claude] = scene(&app);
        let turn = codex.claim();
        app.later_minutes(15);
        let adopted = adopts(&app, &claude);
        assert!(adopted["next"].as_str().unwrap().contains("still holds the stick"), "{adopted}");
        let state = claude.state();
        assert_eq!([&state["room"]["owner"], &state["room"]["state"]], ["codex", "owned"]);
        let prior = claude.does("agent.show", json!({"agent": "codex"}));
        assert_eq!((&prior["holds_stick"], &prior["role"]), (&json!(true), &json!(null)));
        assert_ne!(prior["name"], "amber-otter");
        let refusal = claude.refused("stick.takeover", claude.taking());
        assert_eq!(refusal["error"], "takeover_unavailable");
        app.later_minutes(15);
        let taken = claude.take();
        assert_eq!(taken.turn_id, turn.turn_id + 1);
        assert_eq!(claude.state()["room"]["owner"], "claude");
        sound(&app);
    });
}

#[test]
fn a_resume_is_the_contracts_event_field_for_field_and_a_row_of_its_own() {
    on_every_backend(|app| {
        let [codex, claude] = scene(&app);
        app.later_minutes(1);
        let adopted = adopts(&app, &claude);
        let evidence = "1 uncommitted file in src: src/a.rs; in progress: TASK-001";
        let log = claude.does("room.events", json!({"limit": 200}))["events"].clone();
        let rows: Vec<_> = log.as_array().unwrap().iter().filter(|row| row["event_type"] == "RESUME").collect();
        let [row] = rows.as_slice() else { panic!("{log}") };
        let expected = json!({
            "id": format!("proto_20260101_{:03}", row["event_seq"].as_u64().unwrap()),
            "version": "v1",
            "event_type": "RESUME",
            "project_root": app.workspace().text("repo"),
            "bead_id": "TASK-001",
            "from_agent": "claude",
            "to_agent": "amber-otter",
            "scope": "src",
            "created_at": "2026-01-01T00:16:00.000Z",
            "payload": {
                "resume_reason": "uncommitted_scope",
                "prior_session_agent": "codex",
                "adopted_agent": "amber-otter",
                "evidence": evidence,
                "bead_ids": ["TASK-001"],
            },
        });
        assert_eq!((&adopted["event"], &row["protocol"]), (&expected, &expected));
        assert_eq!((&row["from_agent_id"], &row["to_agent_id"]), (&json!("claude"), &json!(codex.id())));
        assert_eq!((&row["display_name"], &row["reason"]), (&json!("amber-otter"), &json!(evidence)));
    });
}

#[test]
fn the_same_key_adopts_once_and_gets_the_first_answer() {
    on_every_backend(|app| {
        let [_codex, claude] = scene(&app);
        let input = json!({"agent": "amber-otter", "idempotency_key": "k"});
        app.later_minutes(15);
        let first = claude.does("agent.adopt", input.clone());
        app.workspace().git("repo", &["add", "--all"]);
        app.workspace().git("repo", &["commit", "--quiet", "--message=done"]);
        assert_eq!(claude.does("agent.adopt", input), first, "though it is its own now, and nothing is left to commit");
        let without = claude.refused("agent.adopt", json!({"agent": "amber-otter"}));
        assert_eq!(without["reason"], "own_identity");
        assert_eq!(without["next"], "You go by that name already; go on.");
        let other = claude.refused("agent.adopt", json!({"agent": "codex", "idempotency_key": "k"}));
        assert_eq!(other["error"], "idempotency_conflict");
        assert_eq!(claude.story().matches("RESUME").count(), 1);
    });
}

#[test]
fn an_identity_goes_on_from_session_to_session() {
    on_every_backend(|app| {
        let [_codex, claude] = scene(&app);
        adopts(&app, &claude);
        let gemini = app.agent("gemini");
        gemini.enter(&claude.room());
        app.later_minutes(30);
        let adopted = adopts(&app, &gemini);
        assert_eq!((&adopted["prior_session_agent"], &adopted["scopes"]), (&json!("claude"), &json!(["src"])));
        let names: Vec<_> = gemini.does("agent.list", json!({}))["agents"]
            .as_array()
            .unwrap()
            .iter()
            .map(|agent| agent["name"].clone())
            .collect();
        assert_eq!(names, ["amber-otter"], "who adopts becomes an agent by it");
        sound(&app);
    });
}

#[test]
fn a_closed_room_has_no_identities_to_resume() {
    on_every_backend(|app| {
        let [_codex, claude] = scene(&app);
        claude.does("room.close", json!({"expected_turn_id": 0}));
        let refusal = claude.refused("agent.adopt", json!({"agent": "amber-otter"}));
        assert_eq!(refusal["error"], "room_closed");
    });
}

#[test]
fn however_many_messages_wait_they_all_go_on_and_each_is_one_item() {
    on_every_backend(|app| {
        let [_codex, claude] = scene(&app);
        let gemini = app.agent("gemini");
        gemini.join_at("repo");
        let send = |to: &str| {
            gemini.does("inbox.send", json!({"to": to, "category": "INFO", "subject": "s", "body": "b"}));
        };
        let (alone, to_both) = (210, 5);
        (0..alone).for_each(|_| send("amber-otter"));
        (0..to_both).for_each(|_| send("broadcast"));

        assert_eq!(adopts(&app, &claude)["messages"], alone + to_both);
        let inbox = &claude.does("stick.wait", json!({"max_wait_ms": 0, "park": true}))["inbox"];
        assert_eq!(inbox["unseen"], alone + to_both, "a broadcast that both had is one item");
        let forwards = app.log(&claude.room()).into_iter().filter(|event| event.event.kind() == "inbox.forward");
        let forwards: Vec<Value> =
            forwards.map(|event| serde_json::from_str(&event.event.payload().unwrap()).unwrap()).collect();
        let sizes: Vec<_> = forwards.iter().map(|forward| forward["items"].as_array().unwrap().len()).collect();
        assert_eq!(sizes, [200, alone + to_both - 200], "an event stays of a size that can be shown");
        sound(&app);
    });
}
