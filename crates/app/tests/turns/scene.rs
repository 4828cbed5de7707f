//! Who takes turns, and what is asked of them.

use baton_app::{Caller, doctor};
use baton_core::{ids::RoomId, process::SessionKind, room::Actor};
use baton_testkit::{Agent, TestApp, assignment};
use serde_json::{Value, json};

/// The messages of an answer that has items.
pub(crate) fn messages(answer: &Value) -> Vec<u64> {
    answer["items"].as_array().unwrap().iter().map(|item| item["message"].as_u64().unwrap()).collect()
}

/// What they say, in a word each: the last of their text.
pub(crate) fn said(answer: &Value) -> String {
    let word = |item: &Value| item["text"].as_str().unwrap().split_whitespace().last().unwrap().to_owned();
    answer["items"].as_array().unwrap().iter().map(word).collect::<Vec<_>>().join(" ")
}

pub(crate) fn tells(from: &Agent<'_>, to: &str, word: &str) {
    from.does("inbox.send", json!({ "to": to, "category": "INFO", "subject": "s", "body": word }));
}

pub(crate) fn begins(agent: &Agent<'_>) -> Value {
    agent.does("context.turn.begin", json!({}))
}

pub(crate) fn ends(agent: &Agent<'_>, turn: &Value, outcome: &str) -> Value {
    agent.does("context.turn.end", json!({ "turn": turn["turn"], "outcome": outcome, "why": "it rains" }))
}

/// Every item of the agent, as `message:state`.
pub(crate) fn states(agent: &Agent<'_>) -> Vec<String> {
    let listed = agent.does("inbox.list", json!({ "state": "all" }));
    let state = |item: &Value| format!("{}:{}", item["subject"].as_str().unwrap(), item["state"].as_str().unwrap());
    listed["items"].as_array().unwrap().iter().map(state).collect()
}

/// The name that an agent goes by.
pub(crate) fn name(agent: &Agent<'_>) -> String {
    agent.entry()["display_name"].as_str().unwrap().to_owned()
}

pub(crate) fn is_sound(test: &TestApp) {
    let report = doctor::examine(test.app()).unwrap();
    assert!(report.is_clean(), "{:?}", report.checks);
}

/// A room with `ana`, and the job that she delegates.
pub(crate) fn delegated(test: &TestApp) -> (Agent<'_>, RoomId) {
    let ana = test.agent("ana");
    ana.join();
    ana.does("jobs.create", json!({ "title": "Mend it", "prompt": "It rains in." }));
    let room = ana.room();
    (ana, room)
}

/// A runner and its claim.
pub(crate) struct Runner<'a> {
    pub(crate) agent: Agent<'a>,
    pub(crate) revision: Value,
    claimed: Value,
}

impl<'a> Runner<'a> {
    pub(crate) fn claims(test: &'a TestApp, room: &RoomId, name: &str, how: Value) -> Self {
        let agent = test.agent(name);
        agent.enter(room);
        let mut input = json!({ "job": "JOB-001" });
        input.as_object_mut().unwrap().extend(how.as_object().unwrap().clone());
        let claimed = agent.does("jobs.claim", input);
        Self { agent, revision: claimed["job"]["revision"].clone(), claimed }
    }

    pub(crate) fn showing(&self, mut input: Value) -> Value {
        input["claim_revision"] = self.revision.clone();
        input
    }

    pub(crate) fn begins(&self) -> Value {
        self.agent.does("context.turn.begin", self.showing(json!({ "job": "JOB-001" })))
    }

    pub(crate) fn ends(&self, turn: &Value, outcome: &str) -> Value {
        let input = json!({ "turn": turn["turn"], "outcome": outcome });
        self.agent.does("context.turn.end", self.showing(input))
    }
}

/// A job's own agent that is in the room.
pub(crate) fn own_agent(test: &TestApp, room: &RoomId, runner: &Runner<'_>) -> Caller {
    let assignment = assignment(&runner.claimed);
    let agent_id = assignment.agent_id();
    let actor = Actor::found(agent_id, None, SessionKind::McpHarness);
    let caller = Caller::new(actor, test.workspace().at("")).assigned(assignment);
    test.call(&caller, "bus.add", json!({ "room_id": room, "name": "job-001" })).unwrap();
    caller
}
