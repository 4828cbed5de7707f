//! An agent that is a real `baton mcp` process, spoken to as a harness speaks to it.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

use std::{
    os::unix::process::CommandExt,
    process::{Command, Stdio},
};

use baton_mcp::client::{CallId, Client};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};

use super::world::{BATON, World};

/// Longer than anything here takes, and far shorter than any default timing of a room.
const SOON_MS: u64 = 40_000;

/// A stand-in for a harness: a shell that starts the server as its child and waits for it. Killing the shell is
/// what a crash of the harness would be.
const HARNESS: &str = r#""$0" mcp --tools full; :"#;

/// An agent in a room.
pub(crate) struct Agent {
    pub(crate) id: String,
    pub(crate) room_id: String,
    client: Client,
    fence: Value,
}

impl World {
    /// An agent behind a harness of its own, which has joined the workspace's room.
    pub(crate) fn agent(&self, name: &str) -> Agent {
        let mut command = self.command("sh");
        command.args(["-c", HARNESS, BATON]);
        Agent::join(command, name).0
    }

    /// An agent whose harness is started by way of another program: one that shows it another time, say.
    pub(crate) fn agent_by_way_of(&self, way: &[&str], name: &str) -> Agent {
        let (program, arguments) = way.split_first().unwrap();
        let mut command = self.command(program);
        command.args(arguments).args(["sh", "-c", HARNESS, BATON]);
        Agent::join(command, name).0
    }

    /// An agent whose harness is this test. Gives what `join_path` answered, too.
    pub(crate) fn server(&self, name: &str) -> (Agent, Value) {
        Agent::join(self.baton(&["mcp", "--tools", "full"]), name)
    }
}

impl Agent {
    /// Starts `command` as a server, in a process group of its own, and joins.
    pub(crate) fn join(mut command: Command, name: &str) -> (Self, Value) {
        command.process_group(0).stderr(Stdio::inherit());
        // The name is no known harness's, so that the process behind the agent is the server's parent.
        let client = Client::spawn(command, &format!("{name}-test")).unwrap();
        let mut agent = Self { id: String::new(), room_id: String::new(), client, fence: Value::Null };
        let joined = agent.ok("join_path", json!({ "context_path": "." }));
        agent.id = joined["agent_id"].as_str().unwrap().to_owned();
        agent.room_id = joined["room_id"].as_str().unwrap().to_owned();
        (agent, joined)
    }

    /// Calls a tool that must not refuse.
    pub(crate) fn ok(&mut self, tool: &str, arguments: Value) -> Value {
        let (refused, answer) = self.ask(tool, arguments);
        assert!(!refused, "{tool}: {answer}");
        answer
    }

    /// Calls a tool that must refuse.
    pub(crate) fn refused(&mut self, tool: &str, arguments: Value) -> Value {
        let (refused, answer) = self.ask(tool, arguments);
        assert!(refused, "{tool}: {answer}");
        answer
    }

    /// Calls a tool and tells whether it refused.
    pub(crate) fn ask(&mut self, tool: &str, arguments: Value) -> (bool, Value) {
        let call = self.start(tool, arguments);
        self.finish(call)
    }

    /// Calls a tool of the room without waiting for the answer.
    pub(crate) fn start(&mut self, tool: &str, mut arguments: Value) -> CallId {
        // A portal knows the room, and takes no more than an op and its arguments.
        if tool != "join_path" && arguments.get("op").is_none() {
            arguments["room_id"] = json!(self.room_id);
        }
        self.client.start(tool, arguments).unwrap()
    }

    /// The answer to a call. A turn that it grants is remembered.
    pub(crate) fn finish(&mut self, call: CallId) -> (bool, Value) {
        let answer = self.client.finish(call).unwrap();
        let (refused, answer) = (answer.is_error, answer.into_data());
        if answer["lease_id"].is_string() {
            self.fence = json!({ "expected_turn_id": answer["turn_id"], "lease_id": answer["lease_id"] });
        }
        (refused, answer)
    }

    /// Starts a wait for the stick.
    pub(crate) fn start_wait(&mut self) -> CallId {
        self.start("wait_for_turn", json!({ "max_wait_ms": SOON_MS }))
    }

    /// Waits for the stick, and must get it.
    pub(crate) fn claim(&mut self) -> Value {
        let call = self.start_wait();
        let (_, answer) = self.finish(call);
        assert_eq!(answer["status"], "your_turn", "{answer}");
        answer
    }

    /// Releases the turn it was last granted.
    pub(crate) fn release(&mut self) -> Value {
        let arguments = self.fenced(json!({ "handoff": handoff("done", "go on") }));
        self.ok("release_stick", arguments)
    }

    /// `arguments` with the fence it was last given, current or not.
    pub(crate) fn fenced(&self, mut arguments: Value) -> Value {
        for key in ["expected_turn_id", "lease_id"] {
            arguments[key] = self.fence[key].clone();
        }
        arguments
    }

    /// The process that was started: the harness, or the server itself.
    pub(crate) fn pid(&self) -> u32 {
        self.client.pid()
    }

    /// Kills that process, and only that, with SIGKILL, and collects it.
    pub(crate) fn kill(&mut self) {
        self.client.child().kill().unwrap();
        self.client.child().wait().unwrap();
    }

    /// Sends a signal to the harness and its server together.
    pub(crate) fn signal(&self, signal: Signal) {
        let group = Pid::from_raw(i32::try_from(self.pid()).unwrap()).unwrap();
        kill_process_group(group, signal).unwrap();
    }
}

/// A handoff.
pub(crate) fn handoff(status: &str, next_action: &str) -> Value {
    json!({ "status": status, "next_action": next_action })
}
