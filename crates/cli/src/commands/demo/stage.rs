//! Agents that are real processes, and a narrator.

use std::{
    cell::OnceCell,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use baton_app::{Failure, environment::Environment, view::RoomEvent};
use baton_bus::client as bus;
use baton_core::code::ErrorCode;
use baton_http::Keyring;
use baton_mcp::client::{CallId, Client};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{render, ui::Ui};

/// A stand-in for a harness: a shell that starts the server as its child and waits for it. Killing the shell is
/// what a crash of the harness would be.
const HARNESS: &str = r#""$0" mcp --tools full; :"#;

/// What the workspace of the story is called.
const WORKSPACE: &str = "shop";

pub(super) struct Stage {
    ui: Ui,
    store: TempDir,
    workspace: PathBuf,
    /// Where the workspace is, until the story is over.
    _place: TempDir,
    path: Option<String>,
    room_id: String,
    /// The address of the server whose page shows it all.
    page: OnceCell<String>,
}

/// An agent on stage.
pub(super) struct Agent {
    /// What the story calls it.
    pub(super) name: &'static str,
    /// What Baton calls it.
    pub(super) id: String,
    /// What people call it.
    pub(super) known_as: String,
    client: Client,
    turn: Option<(u64, String)>,
}

impl Stage {
    /// An empty store and a small workspace.
    pub(super) fn set(ui: Ui) -> Result<Self, Failure> {
        let (store, place) = (TempDir::new().map_err(wrong)?, TempDir::new().map_err(wrong)?);
        let workspace = place.path().join(WORKSPACE);
        fs::create_dir(&workspace).map_err(wrong)?;
        for (file, text) in [("AGENTS.md", "# A workspace\n"), ("plan.md", "# Plan\n")] {
            fs::write(workspace.join(file), text).map_err(wrong)?;
        }
        let path = Environment::read().var("PATH").map(str::to_owned);
        Ok(Self { ui, store, _place: place, workspace, path, room_id: String::new(), page: OnceCell::new() })
    }

    pub(super) fn heading(&self, text: &str) {
        self.ui.narrate(&format!("\n== {text}\n"));
    }

    pub(super) fn say(&self, text: &str) {
        self.ui.narrate(&format!("   {text}\n"));
    }

    /// Brings on an agent and has it join.
    pub(super) fn enter(&mut self, name: &'static str) -> Result<Agent, Failure> {
        let mut command = Command::new("sh");
        command.arg("-c").arg(HARNESS).arg(program()?).current_dir(&self.workspace).env_clear();
        command.env("BATON_DATA_DIR", self.store.path()).envs(self.path.as_ref().map(|path| ("PATH", path)));
        // A name that is no real harness's, so that the demo tells its agents apart even inside one.
        let client = Client::spawn(command, &format!("{name}-demo")).map_err(wrong)?;
        let mut agent = Agent { name, id: String::new(), known_as: String::new(), client, turn: None };
        let joined = self.expect(&mut agent, "join_path", json!({ "context_path": "." }))?;
        agent.id = text(&joined, "agent_id");
        self.room_id = text(&joined, "room_id");
        agent.known_as = text(&joined, "display_name");
        self.say(&format!("{name} joins as {} ({}).", agent.id, agent.known_as));
        Ok(agent)
    }

    /// Calls a tool of the room and gives its answer, refusal or not.
    pub(super) fn ask(&self, agent: &mut Agent, tool: &str, arguments: Value) -> Result<(bool, Value), Failure> {
        let answer = agent.client.call(tool, self.in_room(tool, arguments)).map_err(wrong)?;
        Ok((!answer.is_error, answer.into_data()))
    }

    /// Calls a tool that must not refuse.
    pub(super) fn expect(&self, agent: &mut Agent, tool: &str, arguments: Value) -> Result<Value, Failure> {
        match self.ask(agent, tool, arguments)? {
            (true, answer) => Ok(answer),
            (false, refusal) => Err(off_script(agent.name, tool, &refusal)),
        }
    }

    /// Calls an op of a portal that must not refuse.
    pub(super) fn op(&self, agent: &mut Agent, portal: &str, op: &str, args: Value) -> Result<Value, Failure> {
        self.expect(agent, portal, json!({ "op": op, "args": args }))
    }

    /// Calls a tool that must refuse with `code`, and tells why it did.
    pub(super) fn expect_refusal(
        &self,
        agent: &mut Agent,
        tool: &str,
        arguments: Value,
        code: &str,
    ) -> Result<(), Failure> {
        match self.ask(agent, tool, arguments)? {
            (false, refusal) if refusal["error"] == code => {
                self.say(&format!("refused, {code}: {}", text(&refusal, "message")));
                Ok(())
            }
            (_, answer) => Err(off_script(agent.name, tool, &answer)),
        }
    }

    /// Waits, and must be answered with `status`.
    pub(super) fn wait(&self, agent: &mut Agent, status: &str, max_wait_ms: u64) -> Result<Value, Failure> {
        let answer = self.expect(agent, "wait_for_turn", json!({ "max_wait_ms": max_wait_ms }))?;
        agent.noticed(status, answer)
    }

    /// Starts a wait that is answered later.
    pub(super) fn start_wait(&self, agent: &mut Agent, max_wait_ms: u64) -> Result<CallId, Failure> {
        let arguments = self.in_room("wait_for_turn", json!({ "max_wait_ms": max_wait_ms }));
        agent.client.start("wait_for_turn", arguments).map_err(wrong)
    }

    /// The answer to a wait that was started before.
    pub(super) fn finish_wait(&self, agent: &mut Agent, wait: CallId) -> Result<Value, Failure> {
        let answer = agent.client.finish(wait).map_err(wrong)?.content;
        let status = text(&answer, "status");
        agent.noticed(&status, answer)
    }

    /// Calls an owner's tool with the fence the agent was last given, current or not.
    pub(super) fn fenced(&self, agent: &Agent, mut arguments: Value) -> Result<Value, Failure> {
        let Some((turn, lease)) = &agent.turn else { return Err(off_script(agent.name, "a turn", &Value::Null)) };
        arguments["expected_turn_id"] = json!(turn);
        arguments["lease_id"] = json!(lease);
        Ok(arguments)
    }

    /// Where the demo's own files are.
    pub(super) fn home(&self) -> &Path {
        self.store.path()
    }

    /// Notes where the page is.
    pub(super) fn shows_page(&self, url: &str) {
        // Only the first server has the page; others come and go with their scene.
        let _ = self.page.set(url.to_owned());
    }

    /// Does something as the person who watches. The demo may run without a terminal, so they steer as somebody does who
    /// looks at the page: with the owner's token of the server on stage.
    pub(super) fn steers(&self, command: &str, mut input: Value) -> Result<Value, Failure> {
        let base = self.page.get().cloned().ok_or_else(|| wrong("no server is on stage"))?;
        let token = fs::read_to_string(Keyring::in_directory(self.home()).operator_file()).map_err(wrong)?;
        let person = bus::Client::connect(bus::Transport::Http { base, token: token.trim().to_owned() });
        input["room_id"] = json!(self.room_id);
        let done = person.and_then(|person| person.call(command, &input, None));
        done.map_err(|error| off_script("a person", command, &json!(error.to_string())))
    }

    /// A command of this program, in the workspace of the story.
    pub(super) fn baton(&self, arguments: &[&str]) -> Result<Command, Failure> {
        let mut command = Command::new(program()?);
        command.args(arguments).current_dir(&self.workspace).env_clear();
        command.env("BATON_DATA_DIR", self.store.path()).envs(self.path.as_ref().map(|path| ("PATH", path)));
        Ok(command)
    }

    /// Kills an agent's harness, as a crash would. Its server lives on for a moment, with nobody behind it.
    pub(super) fn kill(&self, agent: &mut Agent) -> Result<(), Failure> {
        agent.client.child().kill().map_err(wrong)?;
        agent.client.child().wait().map_err(wrong)?;
        self.say(&format!("{} is killed with SIGKILL.", agent.name));
        Ok(())
    }

    pub(super) fn log(&self, reader: &mut Agent) -> Result<Vec<RoomEvent>, Failure> {
        let (mut log, mut after) = (Vec::new(), json!(0));
        loop {
            let mut page = self.expect(reader, "get_room_events", json!({ "after": after, "limit": 200 }))?;
            let events: Vec<RoomEvent> = serde_json::from_value(page["events"].take()).map_err(wrong)?;
            log.extend(events);
            match page["cursor"].take() {
                Value::Null => return Ok(log),
                cursor => after = cursor,
            }
        }
    }

    pub(super) fn say_log(&self, log: &[RoomEvent]) {
        self.heading("The log, as any member can read it");
        let named = |event: &RoomEvent| event.to_agent_id.clone().zip(event.display_name.clone());
        let names: render::Names = log.iter().filter_map(named).collect();
        log.iter().for_each(|event| self.ui.narrate(&render::event_line(event, &names)));
    }

    fn in_room(&self, tool: &str, mut arguments: Value) -> Value {
        match tool {
            "join_path" => {}
            // A portal takes the room as the workspace it is about.
            "scope" | "inbox" | "tasks" | "agent" | "jobs" | "context" | "open" => {
                arguments["workspace"] = json!(self.room_id)
            }
            _ => arguments["room_id"] = json!(self.room_id),
        }
        arguments
    }
}

impl Agent {
    fn noticed(&mut self, status: &str, answer: Value) -> Result<Value, Failure> {
        if answer["status"] != status {
            return Err(off_script(self.name, "wait_for_turn", &answer));
        }
        self.remember(&answer);
        Ok(answer)
    }

    /// Keeps the fence of a grant.
    pub(super) fn remember(&mut self, grant: &Value) {
        if let (Some(turn), Some(lease)) = (grant["turn_id"].as_u64(), grant["lease_id"].as_str()) {
            self.turn = Some((turn, lease.to_owned()));
        }
    }
}

/// A field of an answer as text.
pub(super) fn text(answer: &Value, field: &str) -> String {
    answer[field].as_str().unwrap_or_default().to_owned()
}

pub(super) fn off_script(name: &str, what: &str, answer: &Value) -> Failure {
    Failure::new(ErrorCode::Internal, format!("The demo did not go as told: {name}, {what}: {answer}."))
}

pub(super) fn wrong(error: impl std::fmt::Display) -> Failure {
    Failure::new(ErrorCode::Internal, format!("The demo could not go on: {error}."))
}

pub(super) fn program() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(wrong)
}
