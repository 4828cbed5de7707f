//! Every event of a session as its streams tell it: the contract's names and payloads.

use std::collections::BTreeMap;

use baton_testkit::{TestApp, on_every_backend};
use serde_json::{Value, json};

use super::scene::{control, group, list, reply, session, submits, user};

/// A story with everything that the bus tells of, and much of what else happens in rooms.
fn story(app: &TestApp) -> Value {
    let [ana, bo] = session(app, ["ana", "bo"]);
    let room = ana.room();
    let codex = app.agent("codex:1a2b");
    codex.enter(&room);
    codex.does("bus.add", json!({"id": "worker", "role": "builder"}));
    ana.does("bus.rename", json!({"name": "talking"}));
    ana.does("bus.update", json!({"id": "ana", "name": "Ana Lena"}));
    app.app().connect(bo.caller(), &room).unwrap();
    let mut asked = group("g", [user("bo", "a1"), control("bo", "a2", "new"), control("bo", "a3", "review")]);
    asked["context"] = json!({"context_id": "c", "owner_id": "ana"});
    asked["task_id"] = json!("t");
    asked["actions"][0]["plan"] = json!({"steps": ["look"], "note": "well"});
    asked["actions"][2]["args"] = json!("the parser");
    let asked = ana.does("bus.submit", asked);
    bo.does("bus.take", json!({}));
    bo.does("bus.result", json!({"action_id": "a1", "status": "accepted", "detail": "soon"}));
    let data = json!({"new_context_id": "d", "new_task_id": "u"});
    bo.does("bus.result", json!({"action_id": "a2", "status": "completed", "data": data}));
    let mut answer = group("r", [reply("ana", "b1", "a1")]);
    answer["context"] = json!({"context_id": "c", "parent_message_id": asked["actions"][0]["message_id"]});
    bo.does("bus.submit", answer);
    ana.does("bus.send", json!({"text": "all of you", "reply_to": asked["actions"][0]["message_id"]}));
    ana.does("bus.task", json!({"task_id": "t", "status": "running", "context_id": "c"}));
    ana.does("bus.task_done", json!({"task_id": "t", "summary": "well", "context_id": "c"}));
    ana.does("inbox.send", json!({"to": "bo", "category": "INFO", "subject": "Names", "body": "Snake case."}));
    let task = ana.does("tasks.create", json!({"title": "Parser"}))["task"].clone();
    ana.does("tasks.start", json!({"task": task}));
    ana.does("tasks.done", json!({"task": task}));
    ana.release(&ana.claim());
    ana.does("room.note", json!({"text": "noted"}));
    app.app().disconnect(bo.caller(), &room, "it hung up").unwrap();
    bo.does("bus.remove", json!({}));
    ana.does("bus.close", json!({"reason": "done"}));
    let page = ana.does("bus.history", json!({"limit": 200}));
    let mut events = list(&page["events"]).clone();
    let mut page = page;
    while page["has_more"] == true {
        page = ana.does("bus.history", json!({"limit": 200, "after": page["cursor"]}));
        events.extend(list(&page["events"]).clone());
    }
    json!(events)
}

#[test]
fn the_types_and_payloads_of_every_event_are_the_contracts() {
    on_every_backend(|app| {
        let events = story(&app);
        let line = |event: &Value| {
            let dst = event["dst"].as_str().map_or(String::new(), |dst| format!(" -> {dst}"));
            format!("{} {}{dst} {}", event["type"].as_str().unwrap(), event["src"].as_str().unwrap(), event["payload"])
        };
        let told: Vec<String> = list(&events).iter().map(line).collect();
        insta::allow_duplicates! {
            insta::assert_snapshot!(told.join("\n"), @r#"
            session.created ana {"name":"talk"}
            agent.added ana {"id":"ana","name":"Ana"}
            agent.added bo {"id":"bo","name":"Bo"}
            agent.added worker {"id":"worker","name":"worker","role":"builder"}
            session.updated ana {"name":"talking"}
            agent.updated ana {"id":"ana","name":"Ana Lena","previous_name":"Ana"}
            agent.updated bo {"id":"bo","name":"Bo","status":"connected"}
            message.created ana -> bo {"group_id":"g","action_id":"a1","action_index":0,"sender_name":"Ana Lena","sender_kind":"mcp_harness","type":"message","kind":"user","text":"a1 for bo","plan":{"steps":["look"],"note":"well"},"context_id":"c","owner_id":"ana","task_id":"t"}
            action.submitted ana -> bo {"group_id":"g","action_id":"a2","action_index":1,"sender_name":"Ana Lena","sender_kind":"mcp_harness","type":"control","command":"new","context_id":"c","owner_id":"ana","task_id":"t"}
            action.submitted ana -> bo {"group_id":"g","action_id":"a3","action_index":2,"sender_name":"Ana Lena","sender_kind":"mcp_harness","type":"control","command":"review","args":"the parser","context_id":"c","owner_id":"ana","task_id":"t"}
            inbox.deliver bo {"turn_id":0,"from_agent_id":"bo","messages":[8,9,10]}
            action.result bo -> ana {"group_id":"g","action_id":"a1","action_index":0,"status":"accepted","detail":"soon"}
            action.result bo -> ana {"group_id":"g","action_id":"a2","action_index":1,"status":"completed","data":{"new_context_id":"d","new_task_id":"u"}}
            message.created bo -> ana {"group_id":"r","action_id":"b1","action_index":0,"sender_name":"Bo","sender_kind":"mcp_harness","type":"message","kind":"reply","text":"b1 for ana","reply_to_action_id":"a1","context_id":"c","owner_id":"ana","parent_message_id":"evt_1_8","task_id":"t"}
            message.created ana {"kind":"user","text":"all of you","sender_name":"Ana Lena","sender_kind":"mcp_harness","context_id":"c","owner_id":"ana","task_id":"t","reply_to":"evt_1_8"}
            task.updated ana -> ana {"task_id":"t","status":"running","context_id":"c","owner_id":"ana"}
            task.done ana -> ana {"task_id":"t","summary":"well","context_id":"c","owner_id":"ana"}
            message.created ana -> bo {"text":"Names\n\nSnake case.","kind":"system","sender_name":"Ana Lena","sender_kind":"mcp_harness","category":"INFO","protocol":{"subject":"Names","body":"Snake case.","requires_ack":false}}
            task.updated ana {"task_id":"TASK-001","status":"ready","title":"Parser"}
            task.updated ana -> ana {"task_id":"TASK-001","status":"running"}
            task.done ana {"task_id":"TASK-001"}
            stick.claim ana {"turn_id":1,"to_agent_id":"ana","reason":"open_claim","expires_at":"2026-01-01T00:45:00.000Z"}
            stick.release ana -> bo {"turn_id":1,"from_agent_id":"ana","to_agent_id":"bo","handoff":{"status":"done","next_action":"go on"},"expires_at":"2026-01-01T00:20:00.000Z"}
            room.note ana {"turn_id":1,"from_agent_id":"ana","note":"noted"}
            agent.updated bus {"id":"bo","name":"Bo","status":"disconnected","detail":"its stream ended: it hung up"}
            action.result bo -> ana {"group_id":"g","action_id":"a1","action_index":0,"status":"error","detail":"its target left the session"}
            action.result bo -> ana {"group_id":"g","action_id":"a3","action_index":2,"status":"error","detail":"its target left the session"}
            agent.removed bo {"id":"bo","status":"gone","detail":"it is no longer a member"}
            action.result ana -> bo {"group_id":"r","action_id":"b1","action_index":0,"status":"error","detail":"the session was closed"}
            session.closed ana {"reason":"done"}
            "#);
        }
    });
}

#[test]
fn an_envelope_has_the_contracts_fields_and_its_ids_and_places_are_the_logs() {
    on_every_backend(|app| {
        let events = story(&app);
        for (place, event) in (1..).zip(list(&events)) {
            let fields: Vec<&str> = event.as_object().unwrap().keys().map(String::as_str).collect();
            assert!(
                fields
                    .iter()
                    .all(|field| ["v", "type", "id", "ts", "src", "dst", "session", "seq", "payload"].contains(field)),
                "{fields:?}"
            );
            assert_eq!((&event["v"], &event["seq"]), (&json!(1), &json!(place)));
            assert!(event["id"].as_str().unwrap().ends_with(&format!("_{place}")));
            assert!(event["payload"].is_object() && event["ts"].as_str().unwrap().ends_with('Z'));
        }
        let mut by_id = BTreeMap::new();
        list(&events).iter().for_each(|event| *by_id.entry(event["id"].clone().to_string()).or_insert(0) += 1);
        assert!(by_id.values().all(|count| *count == 1));
    });
}

#[test]
fn no_record_has_a_lease_or_a_process() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined_living(["codex", "claude"]);
        let turn = codex.claim();
        let lease = turn.lease_id.clone();
        codex.pass(&turn, &claude);
        let next = claude.claim();
        claude.does("scope.reserve", json!({"scopes": ["src"]}));
        submits(&claude, "g", [user("codex", "a1")]);
        let room = codex.room();
        app.app().connect(codex.caller(), &room).unwrap();
        app.later_minutes(60);
        codex.take();
        let person = app.person("human:eve:1");
        person.enter(&room);
        person.does("bus.add", json!({}));
        let told = json!(app.app().records(&room, baton_core::ids::Seq(0), 200).unwrap()).to_string();
        let boot = codex.process().boot_id;
        for secret in [&lease, &next.lease_id, "lease_id", &boot, "boot_id", "start_ticks"] {
            assert!(!told.contains(secret), "{secret} is in {told}");
        }
    });
}
