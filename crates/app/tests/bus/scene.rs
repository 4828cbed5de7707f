//! What these stories share.

use baton_app::doctor;
use baton_core::ids::RoomId;
use baton_testkit::{Agent, TestApp};
use serde_json::{Value, json};

/// Opens a session as somebody, and gives its id.
pub(crate) fn opens(agent: &Agent<'_>, name: &str) -> RoomId {
    let opened = agent.does("bus.open", json!({"name": name}));
    opened["session"]["id"].as_str().unwrap().parse().unwrap()
}

/// Agents of a session that belongs to no path: `ana` is called Ana.
pub(crate) fn session<'a, const N: usize>(app: &'a TestApp, names: [&str; N]) -> [Agent<'a>; N] {
    with(app, names.map(|name| app.agent(name)))
}

/// The same with processes, which can be killed.
pub(crate) fn living<'a, const N: usize>(app: &'a TestApp, names: [&str; N]) -> [Agent<'a>; N] {
    with(app, names.map(|name| app.living_agent(name)))
}

fn with<'a, const N: usize>(_: &'a TestApp, agents: [Agent<'a>; N]) -> [Agent<'a>; N] {
    let room = opens(&agents[0], "talk");
    for agent in &agents {
        adds(agent, &room);
    }
    agents
}

/// Becomes an agent of a session under its own id, called by it with a capital.
pub(crate) fn adds(agent: &Agent<'_>, room: &RoomId) {
    agent.enter(room);
    let id = agent.id().to_string();
    let name = id[..1].to_uppercase() + &id[1..];
    agent.does("bus.add", json!({"name": name}));
}

pub(crate) fn user(dst: &str, action: &str) -> Value {
    json!({"type": "message", "dst": dst, "action_id": action, "kind": "user", "text": format!("{action} for {dst}")})
}

pub(crate) fn reply(dst: &str, action: &str, to: &str) -> Value {
    let text = format!("{action} for {dst}");
    json!({"type": "message", "dst": dst, "action_id": action, "kind": "reply", "reply_to_action_id": to, "text": text})
}

pub(crate) fn control(dst: &str, action: &str, command: &str) -> Value {
    json!({"type": "control", "dst": dst, "action_id": action, "command": command})
}

/// A submission of these actions, in this order.
pub(crate) fn group(group: &str, actions: impl IntoIterator<Item = Value>) -> Value {
    let indexed = (0..).zip(actions).map(|(index, mut action)| {
        action["action_index"] = json!(index);
        action
    });
    json!({"group_id": group, "actions": indexed.collect::<Vec<_>>()})
}

pub(crate) fn submits(agent: &Agent<'_>, name: &str, actions: impl IntoIterator<Item = Value>) -> Value {
    agent.does("bus.submit", group(name, actions))
}

pub(crate) fn reports(agent: &Agent<'_>, action: &str, status: &str) -> Value {
    agent.does("bus.result", json!({"action_id": action, "status": status}))
}

/// What an agent is told of now: the names of actions, and the texts of messages that are none.
pub(crate) fn takes(agent: &Agent<'_>) -> Vec<String> {
    named(&agent.does("bus.take", json!({})))
}

pub(crate) fn named(taken: &Value) -> Vec<String> {
    let name = |delivery: &Value| delivery["action_id"].as_str().or(delivery["text"].as_str()).unwrap().to_owned();
    list(&taken["deliveries"]).iter().map(name).collect()
}

pub(crate) fn list(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

/// How far an action is: its status and what was said to it.
pub(crate) fn standing(agent: &Agent<'_>, action: &str) -> String {
    let all = agent.does("bus.actions", json!({"limit": 200}));
    let found = list(&all["actions"]).iter().find(|known| known["action_id"] == action).unwrap().clone();
    match (&found["status"], &found["detail"]) {
        (Value::String(status), Value::String(detail)) => format!("{status}: {detail}"),
        (Value::String(status), _) => status.clone(),
        _ => "nothing yet".to_owned(),
    }
}

/// What is on a session's stream, by type.
pub(crate) fn events(agent: &Agent<'_>, types: &[&str]) -> Vec<Value> {
    let page = agent.does("bus.history", json!({"types": types, "limit": 200}));
    assert_eq!(page["has_more"], false);
    list(&page["events"]).clone()
}

/// How often each of these actions ended.
pub(crate) fn ends(agent: &Agent<'_>, action: &str) -> usize {
    let terminal =
        |event: &&Value| ["completed", "rejected", "error"].contains(&event["payload"]["status"].as_str().unwrap());
    let results = events(agent, &["action.result"]);
    results.iter().filter(|event| event["payload"]["action_id"] == action).filter(terminal).count()
}

pub(crate) fn sound(app: &TestApp) {
    let report = doctor::examine(app.app()).unwrap();
    assert!(report.is_clean(), "{:?}", report.checks);
}
