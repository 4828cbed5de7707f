//! One script, played over the socket and over HTTP.

use std::collections::BTreeMap;

use baton_bus::client::Client;
use baton_core::ids::{RoomId, Seq};
use serde_json::{Value, json};

use crate::world::{Face, World};

/// A step: who asks for what, under which key.
type Step = (&'static str, &'static str, Value, Option<&'static str>);

/// A message for somebody.
fn message(dst: &str, id: &str, index: u32, text: &str) -> Value {
    json!({"type": "message", "dst": dst, "action_id": id, "action_index": index, "kind": "user", "text": text})
}

fn control(dst: &str, id: &str, index: u32, command: &str) -> Value {
    json!({"type": "control", "dst": dst, "action_id": id, "action_index": index, "command": command})
}

/// Everything the contract has, and much that it refuses.
fn script(session: &RoomId) -> Vec<Step> {
    let s = session.as_str();
    let submit = |group: &str, context: &str, actions: Value| json!({"session": s, "group_id": group, "context": {"context_id": context}, "actions": actions});
    let first = submit(
        "g1",
        "talk",
        json!([
            message("worker-a", "a1", 0, "Read."),
            control("worker-a", "a2", 1, "new"),
            message("worker-a", "a3", 2, "Now write."),
            message("worker-b", "a4", 3, "Review.")
        ]),
    );
    let twice = submit("g2", "talk", json!([message("worker-b", "a5", 0, "Once.")]));
    let result = |id: &str, status: &str| json!({"session": s, "action_id": id, "status": status});
    let relayed = r#"{"type":"relay_actions","actions":[{"type":"message","dst":"worker-a","text":"Go on.","plan":{"steps":["one","two"],"note":"soon"}},{"type":"control","dst":"worker-b","command":"review","args":"the tests"}]}"#;
    vec![
        ("lead", "session.create", json!({"name": "another"}), Some("k-open")),
        ("lead", "session.create", json!({"name": "another"}), Some("k-open")),
        ("lead", "session.list", json!({}), None),
        ("lead", "session.get", json!({"session": s}), None),
        ("lead", "session.update", json!({"session": s, "name": "renamed"}), None),
        ("lead", "session.update", json!({"session": s, "name": " "}), None),
        ("worker-a", "agent.update", json!({"session": s, "id": "worker-a", "name": "Ada the worker"}), None),
        ("worker-a", "agent.update", json!({"session": s, "id": "worker-b", "name": "Somebody"}), None),
        ("worker-a", "agent.update", json!({"session": s, "id": "worker-a", "name": ""}), None),
        ("lead", "agent.add", json!({"session": s, "id": "codex:1234"}), None),
        ("lead", "action.submit", first.clone(), Some("k-first")),
        ("lead", "action.submit", first, Some("k-first")),
        ("lead", "action.submit", twice.clone(), Some("k-first")),
        ("lead", "action.submit", twice, None),
        ("lead", "action.submit", submit("g3", "talk", json!([message("worker-b", "a5", 0, "Again.")])), None),
        ("lead", "action.submit", submit("g3", "talk", json!([])), None),
        ("lead", "action.submit", submit("g3", "talk", json!([message("nobody", "a6", 0, "Who?")])), None),
        ("lead", "action.submit", submit("g3", "talk", json!([message("lead", "a6", 0, "Me?")])), None),
        ("lead", "action.submit", submit("g3", "talk", json!([control("worker-a", "a6", 0, "dance")])), None),
        ("worker-a", "action.submit", submit("g3", "talk", json!([message("worker-b", "a6", 0, "Mine!")])), None),
        ("worker-a", "action.take", json!({"session": s}), None),
        ("worker-a", "action.take", json!({"session": s}), None),
        ("worker-b", "action.result", result("a1", "completed"), None),
        ("worker-a", "action.result", result("a1", "accepted"), None),
        ("worker-a", "action.result", result("a1", "completed"), Some("k-done")),
        ("worker-a", "action.result", result("a1", "completed"), Some("k-done")),
        ("worker-a", "action.result", result("a1", "error"), None),
        ("worker-a", "action.result", result("a1", "perhaps"), None),
        (
            "worker-a",
            "action.result",
            json!({"session": s, "action_id": "a2", "status": "completed", "data": {"new_context_id": "fresh", "new_task_id": "t2"}}),
            None,
        ),
        ("worker-a", "action.take", json!({"session": s, "resume_after": 0}), None),
        (
            "worker-a",
            "action.submit",
            json!({"session": s, "group_id": "r1", "actions": [{"type": "message", "dst": "lead", "action_id": "r1", "action_index": 0, "kind": "reply", "text": "Done.", "reply_to_action_id": "a1"}]}),
            None,
        ),
        (
            "lead",
            "action.submit",
            json!({"session": s, "group_id": "r2", "actions": [{"type": "message", "dst": "worker-a", "action_id": "r2", "action_index": 0, "kind": "reply", "text": "Thanks.", "reply_to_action_id": "r1"}]}),
            None,
        ),
        ("worker-b", "action.take", json!({"session": s, "limit": 1}), None),
        ("worker-b", "action.result", result("a4", "rejected"), None),
        (
            "worker-b",
            "action.result",
            json!({"session": s, "action_id": "a5", "status": "error", "detail": "No."}),
            None,
        ),
        ("lead", "action.wait", json!({"session": s, "group_id": "g1"}), None),
        ("lead", "action.list", json!({"session": s, "src": "lead"}), None),
        ("lead", "message.send", json!({"session": s, "dst": "worker-b", "text": "By the way."}), Some("k-word")),
        ("lead", "message.send", json!({"session": s, "text": "All of you."}), None),
        ("lead", "message.list", json!({"session": s}), None),
        ("worker-b", "inbox.list", json!({"room_id": s}), None),
        (
            "lead",
            "task.update",
            json!({"session": s, "task_id": "t1", "status": "running", "context_id": "talk"}),
            None,
        ),
        (
            "lead",
            "relay.submit",
            json!({"session": s, "task_id": "t1", "context": {"context_id": "talk"}, "output": relayed}),
            None,
        ),
        (
            "worker-a",
            "relay.submit",
            json!({"session": s, "task_id": "t1", "context": {"context_id": "talk"}, "output": relayed}),
            None,
        ),
        (
            "lead",
            "relay.submit",
            json!({"session": s, "task_id": "t1", "output": r#"{"type":"task_done","summary":"All good."}"#}),
            None,
        ),
        ("lead", "relay.submit", json!({"session": s, "task_id": "t1", "output": "Just text."}), None),
        ("lead", "task.done", json!({"session": s, "task_id": "t9", "summary": "Over."}), None),
        ("worker-b", "agent.remove", json!({"session": s, "id": "worker-a"}), None),
        ("lead", "events.history", json!({"session": s, "types": ["action.result"]}), None),
        ("lead", "events.history", json!({"session": s, "after": 3, "limit": 2}), None),
        ("lead", "events.history", json!({"session": s, "after": 3, "before": 4}), None),
        ("lead", "room.note", json!({"room_id": s, "text": "A note."}), None),
        ("lead", "jobs.create", json!({"room_id": s, "title": "A job", "prompt": "Do it."}), None),
        ("lead", "no.such", json!({}), None),
        ("lead", "action.submit", json!({"session": s, "unknown": 1}), None),
        ("worker-b", "agent.remove", json!({"session": s}), None),
        ("lead", "session.close", json!({"session": s, "reason": "the end"}), None),
        ("lead", "message.send", json!({"session": s, "text": "Too late."}), None),
        ("lead", "session.get", json!({"session": "room_none"}), None),
    ]
}

/// What a face answered and told.
#[derive(Debug, PartialEq)]
struct Told {
    answers: Vec<String>,
    events: Vec<String>,
}

fn play(face: Face) -> Told {
    let world = World::still();
    let session = world.session();
    let names = ["lead", "worker-a", "worker-b"];
    let clients: BTreeMap<&str, Client> =
        names.into_iter().map(|name| (name, world.agent(face, &session, name))).collect();
    let mut answers = Vec::new();
    for (who, command, input, key) in script(&session) {
        let answer = match clients[who].call(command, &input, key) {
            Ok(data) => json!({"data": data}),
            Err(error) => json!({"code": error.code, "message": error.message, "detail": error.detail}),
        };
        answers.push(format!("{who} {command}: {answer}"));
    }
    let newest = world.app.newest(&session).unwrap();
    let mut stream = clients["lead"].events(&session, Seq::default()).unwrap();
    let mut events = Vec::new();
    while events.len() < newest.0 as usize {
        events.push(serde_json::to_string(&stream.next().unwrap()).unwrap());
    }
    Told { answers, events }
}

#[test]
fn one_script_gets_the_same_answers_and_the_same_events_over_the_socket_and_over_http() {
    let [socket, http] = Face::BOTH.map(play);
    for (one, other) in socket.answers.iter().zip(&http.answers) {
        assert_eq!(one, other);
    }
    for (one, other) in socket.events.iter().zip(&http.events) {
        assert_eq!(one, other);
    }
    assert_eq!(socket, http);
    // What is equal might be equally wrong: most of it is refusals where they belong, and nothing else is.
    let refused = socket.answers.iter().filter(|answer| answer.contains(r#": {"code":"#)).count();
    let expected = 20;
    assert_eq!(refused, expected, "{:#?}", socket.answers);
    let kinds =
        |kind: &str| socket.events.iter().filter(|event| event.contains(&format!(r#""type":"{kind}""#))).count();
    assert_eq!((kinds("session.created"), kinds("session.updated"), kinds("session.closed")), (1, 1, 1));
    assert_eq!((kinds("agent.added"), kinds("agent.updated"), kinds("agent.removed")), (3, 1, 1));
}
