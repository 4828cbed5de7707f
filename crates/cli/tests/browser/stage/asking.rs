//! Agents that want something of a person.
#![expect(clippy::unwrap_used, reason = "a scene that cannot be set ends the test")]

use baton_mcp::client::CallId;
use serde_json::{Value, json};

use crate::support::{Agent, World};

/// Longer than a story takes.
const SOON_MS: u64 = 40_000;

impl Agent {
    /// Does something with jobs.
    pub(crate) fn jobs(&mut self, op: &str, args: Value) -> Value {
        self.ok("jobs", json!({ "op": op, "args": args }))
    }

    /// Makes a job, works on it, and asks a question. Tells which job it is.
    pub(crate) fn asks(&mut self, question: &str) -> String {
        let job = self.jobs("create", json!({ "title": "Write the parser", "prompt": "All of it." }))["job"].clone();
        let claimed = self.jobs("claim", json!({ "job": job, "runner_id": "r1" }));
        let revision = &claimed["job"]["revision"];
        let asked = json!({ "job": job, "runner_id": "r1", "claim_revision": revision, "kind": "question", "message": question });
        self.jobs("report", asked);
        job.as_str().unwrap().to_owned()
    }

    /// Begins to wait for what is said about a job.
    pub(crate) fn waits_for_word_on(&mut self, job: &str) -> CallId {
        let seen = self.jobs("tail", json!({ "job": job }))["cursor"].clone();
        self.start("jobs", json!({ "op": "tail", "args": { "job": job, "after": seen, "max_wait_ms": SOON_MS } }))
    }

    /// What was said meanwhile.
    pub(crate) fn hears(&mut self, waiting: CallId) -> Vec<String> {
        let (refused, answer) = self.finish(waiting);
        assert!(!refused, "{answer}");
        let said = answer["events"].as_array().unwrap().iter();
        said.map(|event| event["message"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Asks for another agent, which an operator has to approve.
    pub(crate) fn asks_for_help(&mut self, world: &World, title: &str) {
        let granted = world.at_terminal(&["agent", "grant", &self.id, "--spawn"]);
        assert_eq!(granted.status, 0, "{granted:?}");
        let asked =
            self.ok("spawn_node", json!({ "title": title, "prompt": "Read them all.", "message": "Here they are." }));
        assert_eq!(asked["status"], "pending", "{asked}");
    }
}
