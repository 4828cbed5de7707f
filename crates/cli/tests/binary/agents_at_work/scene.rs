//! A manager, a job, a runner, and a program whose model plays a script.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

use std::{
    ffi::OsString,
    io::Read,
    process::{Child, ChildStderr, Stdio},
    thread::{self, JoinHandle},
};

use baton_mcp::client::Client;
use baton_testkit::{
    ClientHome,
    model::{Model, Script, Step},
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{Ran, World};

/// The job of every scene.
pub(super) const JOB: &str = "JOB-001";
/// Whose scripts the model plays.
const AGENT: &str = "agent";

/// Whose scripts it plays for the second program of a scene.
const OTHER: &str = "other";

/// Which program does the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Program {
    Codex,
    Claude,
}

/// Where one story plays.
pub(super) struct Scene {
    pub(super) program: Program,
    pub(super) model: Model,
    pub(super) world: World,
    pub(super) room: String,
    home: ClientHome,
}

/// A runner that works in the scene. It is killed when it is dropped.
pub(super) struct Runner {
    child: Child,
    told: Option<JoinHandle<String>>,
}

impl Program {
    /// The executor that a job asks for to get it.
    pub(super) const fn executor(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::Claude => "claude_code",
        }
    }
}

impl Scene {
    /// A scene in which the manager `test:ana` is in the room.
    pub(super) fn new(program: Program) -> Self {
        Self::in_world(program, World::new())
    }

    /// The same in a world of choice.
    pub(super) fn in_world(program: Program, world: World) -> Self {
        let home = ClientHome::new(&world.home());
        Self::with_home(program, world, home)
    }

    /// A scene in which the program gives up as soon as the model fails.
    pub(super) fn impatient(program: Program) -> Self {
        let world = World::new();
        let home = ClientHome::new(&world.home()).impatient();
        Self::with_home(program, world, home)
    }

    fn with_home(program: Program, world: World, home: ClientHome) -> Self {
        let model = Model::start();
        let home = match program {
            Program::Codex => home.codex(&model.url(AGENT)),
            Program::Claude => home.claude(&model.url(AGENT)),
        };
        let room = world.join_as("ana");
        Self { program, model, world, room, home }
    }

    /// A scene in which there are both: `codex`, and `claude` beside it.
    pub(super) fn of_both(world: World) -> Self {
        let scene = Self::in_world(Program::Codex, world);
        let home = scene.home.claude(&scene.model.url(OTHER));
        Self { home, ..scene }
    }

    /// What the model of the other does in its next conversation.
    pub(super) fn script_of_other(&self, steps: Vec<Step>) -> Script {
        self.model.script(OTHER, steps)
    }

    /// What the model does in the next conversation.
    pub(super) fn script(&self, steps: Vec<Step>) -> Script {
        self.model.script(AGENT, steps)
    }

    /// What it does in every conversation that has no script of its own.
    pub(super) fn always(&self, steps: Vec<Step>) -> Script {
        self.model.always(AGENT, steps)
    }

    /// Has the manager delegate the job.
    pub(super) fn delegate(&self, more: &[&str]) {
        let what = ["job", "create", "Investigate the cache", "--prompt", "Find out why the cache grows."];
        let who = ["--executor", self.program.executor()];
        let created = self.manager(&[&what[..], &who, more].concat());
        assert!(created.stdout.contains(JOB), "{created:?}");
    }

    /// Has the manager run Baton, which must succeed.
    pub(super) fn manager(&self, arguments: &[&str]) -> Ran {
        let ran = self.world.run_as("ana", arguments);
        assert_eq!(ran.status, 0, "{arguments:?}: {ran:?}");
        ran
    }

    /// The same, for what it answers to programs.
    pub(super) fn data(&self, arguments: &[&str]) -> Value {
        self.manager(&[arguments, &["--json"]].concat()).json()["data"].clone()
    }

    /// The job as it is.
    pub(super) fn job(&self) -> Value {
        self.data(&["job", "open", JOB])["job"].clone()
    }

    /// All that happened to the job, oldest first.
    pub(super) fn thread(&self) -> Vec<Value> {
        self.data(&["job", "tail", JOB, "--limit", "200"])["events"].as_array().unwrap().clone()
    }

    /// Waits until the job is over.
    pub(super) fn job_ends(&self) {
        self.manager(&["job", "tail", JOB, "--follow"]);
    }

    /// Who the program is, for Baton.
    pub(super) fn agent_id(&self) -> String {
        format!("job:{JOB}@{}", self.room.strip_prefix("room_").unwrap())
    }

    /// Those of one kind.
    pub(super) fn events(&self, kind: &str) -> Vec<Value> {
        self.thread().into_iter().filter(|event| event["kind"] == kind).collect()
    }

    /// The line of the job on the radar.
    pub(super) fn radar_line(&self) -> String {
        let radar = self.manager(&["radar"]).stdout;
        let line = radar.lines().find(|line| line.contains(&format!(" {JOB} (")));
        line.unwrap_or_else(|| panic!("{JOB} is not on the radar: {radar}")).to_owned()
    }

    /// Has the manager type what the radar advises, with the answer in it.
    pub(super) fn replies_as_advised(&self, answer: &str) {
        let radar = self.manager(&["radar"]).stdout;
        let advice = radar.lines().find_map(|line| line.strip_prefix("next: baton "));
        let words = advice.and_then(|advice| advice.strip_suffix(" \"…\"")).unwrap_or_else(|| panic!("{radar}"));
        let typed: Vec<&str> = words.split(' ').chain([answer]).collect();
        self.manager(&typed);
    }

    /// What a ref leads to, as an agent gets it.
    pub(super) fn opened(&self, reference: &str) -> Value {
        self.ask("open", json!({ "id": reference }))
    }

    /// All turns of the room, oldest first.
    pub(super) fn turns(&self) -> Vec<Value> {
        let listed = self.ask("context", json!({ "op": "turn.list", "args": {} }));
        listed["turns"].as_array().unwrap_or_else(|| panic!("{listed}")).iter().rev().cloned().collect()
    }

    /// The files that the job left behind, by name, each with what is in it.
    pub(super) fn artifacts(&self) -> Vec<(String, String)> {
        let listed = self.ask("tasks", json!({"op": "artifact.list", "args": {"job": JOB}}));
        let artifacts = listed["artifacts"].as_array().unwrap_or_else(|| panic!("{listed}")).clone();
        let mut found: Vec<_> = artifacts
            .iter()
            .map(|artifact| {
                let opened = self.opened(artifact["ref"].as_str().unwrap());
                let text = opened["content"]["text"].as_str().unwrap_or_else(|| panic!("{opened}")).to_owned();
                (artifact["name"].as_str().unwrap().to_owned(), text)
            })
            .collect();
        found.sort();
        found
    }

    /// What a turn of the room left behind, in one file.
    pub(super) fn artifact(&self, turn: u32, name: &str) -> String {
        let mark = json!(format!("TURN-{turn}"));
        let log = self.world.log(&self.room);
        let told = log.iter().filter_map(|event| event["refs"].as_array()).filter(|refs| refs.contains(&mark));
        let refs = told.flatten().filter_map(Value::as_str).filter(|reference| reference.starts_with("artifact://"));
        let is_it = |reference: &&str| self.opened(reference)["artifact"]["name"] == name;
        let reference = refs.into_iter().find(is_it);
        self.whole(reference.unwrap_or_else(|| panic!("TURN-{turn} left no {name}: {log:#?}")))
    }

    /// All that is in a file, look by look.
    pub(super) fn whole(&self, reference: &str) -> String {
        let (mut text, mut offset) = (String::new(), Some(0));
        while let Some(from) = offset {
            let opened = self.ask("open", json!({ "id": reference, "offset": from }));
            text += opened["content"]["text"].as_str().unwrap_or_else(|| panic!("{opened}"));
            offset = opened["content"]["next_offset"].as_u64();
        }
        text
    }

    /// What was sent in a turn of the room, to the byte.
    pub(super) fn sent(&self, turn: u32) -> String {
        let blocks: Value = serde_json::from_str(&self.artifact(turn, "prompt.blocks.json")).unwrap();
        let whole = || self.artifact(turn, "prompt.full.txt");
        blocks["sent"].as_str().map_or_else(whole, str::to_owned)
    }

    /// Calls a tool of an MCP server of the manager's.
    pub(super) fn ask(&self, tool: &str, arguments: Value) -> Value {
        let mut client = Client::spawn(self.world.baton(&["mcp", "--tools", "full"]), "manager-test").unwrap();
        let call = client.start(tool, arguments).unwrap();
        let answer = client.finish(call).unwrap();
        assert!(!answer.is_error, "{tool}: {:?}", answer.into_data());
        answer.into_data()
    }

    /// Starts a runner that works on the job and ends.
    pub(super) fn run_once(&self) -> Runner {
        self.run("runner:one", &["--once"])
    }

    /// Where the programs of this scene are looked for.
    pub(super) fn path(&self) -> OsString {
        self.home.environment().find(|(name, _)| *name == "PATH").unwrap().1
    }

    /// Starts a runner of this name.
    pub(super) fn run(&self, name: &str, more: &[&str]) -> Runner {
        self.run_with(name, more, [])
    }

    /// Starts one with other variables around it.
    pub(super) fn run_with(
        &self,
        name: &str,
        more: &[&str],
        variables: impl IntoIterator<Item = (&'static str, OsString)>,
    ) -> Runner {
        self.run_without(name, more, &[], variables)
    }

    /// Starts one without some variables, and with others.
    pub(super) fn run_without<'a>(
        &self,
        name: &str,
        more: &[&str],
        without: &[&str],
        with: impl IntoIterator<Item = (&'a str, OsString)>,
    ) -> Runner {
        let mut command = self.world.baton(&[&["run", "--runner-id", name][..], more].concat());
        command.envs(self.home.environment());
        for name in without {
            command.env_remove(name);
        }
        command.envs(with);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = child.stderr.take().unwrap();
        Runner { child, told: Some(thread::spawn(move || read(stderr))) }
    }
}

fn read(mut stderr: ChildStderr) -> String {
    let mut text = Vec::new();
    stderr.read_to_end(&mut text).unwrap();
    String::from_utf8_lossy(&text).into_owned()
}

impl Runner {
    pub(super) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Waits for its end, which must be a good one, and gives what it told.
    pub(super) fn finishes(mut self) -> String {
        let status = self.child.wait().unwrap();
        let told = self.told.take().unwrap().join().unwrap();
        assert!(status.success() && !told.contains("panicked"), "{status}: {told}");
        told
    }

    /// Asks it to end.
    pub(super) fn end(&self) {
        kill_process(self.pid(), Signal::TERM).unwrap();
    }

    /// Kills it, which nothing can be prepared for, and collects it.
    pub(super) fn kill(mut self) {
        kill_process(self.pid(), Signal::KILL).unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Runner {
    #[expect(clippy::print_stdout, reason = "it is shown with the test that failed")]
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        if thread::panicking()
            && let Some(told) = self.told.take()
        {
            println!("the runner told:\n{}", told.join().unwrap_or_default());
        }
    }
}
