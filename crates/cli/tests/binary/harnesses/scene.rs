//! A repository that is a room, somebody who is there, and a program with Baton installed.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use baton_testkit::{
    Client, ClientHome, Launch, git_for_tests,
    model::{Model, Script, Step},
};
use serde_json::Value;

use crate::support::{Ran, World};

/// The name under which the model plays scripts.
const AGENT: &str = "agent";
/// Longest wait for something that a program does by itself.
const LOOKS: usize = 600;

pub(super) struct Scene {
    pub(super) client: Client,
    pub(super) world: World,
    pub(super) model: Model,
    pub(super) home: ClientHome,
    pub(super) room: String,
}

impl Scene {
    /// A room in which `test:ana` is, and a program in which Baton is installed.
    pub(super) fn new(client: Client) -> Self {
        let scene = Self::without_install(client);
        scene.install(&[]);
        scene
    }

    /// A room and a program before Baton is installed.
    pub(super) fn without_install(client: Client) -> Self {
        Self::with_home(client, |home| home)
    }

    /// A room and a Codex that takes its model for one that it knows.
    pub(super) fn with_codex_model(model: &'static str) -> Self {
        let scene = Self::with_home(Client::Codex, |home| home.codex_as(model));
        scene.install(&[]);
        scene
    }

    fn with_home(client: Client, change: impl Fn(ClientHome) -> ClientHome) -> Self {
        let (world, model) = (World::new(), Model::start());
        let home = change(ClientHome::new(&world.home())).all(&model.url(AGENT));
        let git = git_for_tests().arg("init").arg("-q").current_dir(world.workspace()).status().unwrap();
        assert!(git.success());
        let room = world.join_as("ana");
        Self { client, world, model, home, room }
    }

    /// Installs Baton in the program, trusted.
    pub(super) fn install(&self, more: &[&str]) {
        let trust: &[&str] = if self.client == Client::Codex { &["--trust-hooks"] } else { &[] };
        let ran = self.baton(&[&["install", harness(self.client)], trust, more].concat());
        assert_eq!(ran.status, 0, "{ran:?}");
    }

    /// Runs Baton with the home in which the programs are.
    pub(super) fn baton(&self, arguments: &[&str]) -> Ran {
        let mut command = self.world.baton(arguments);
        command.envs(self.home.environment());
        Ran::of(command)
    }

    pub(super) fn file(&self, path: &str) -> PathBuf {
        self.world.workspace().join(path)
    }

    pub(super) fn script(&self, steps: Vec<Step>) -> Script {
        self.model.script(AGENT, steps)
    }

    pub(super) fn subagent(&self, prompt: &str, steps: Vec<Step>) -> Script {
        self.model.subagent(AGENT, prompt, steps)
    }

    pub(super) fn requests(&self) -> usize {
        self.model.requests_of(AGENT)
    }

    pub(super) fn launch(&self) -> Launch {
        self.launch_in(&self.world.workspace())
    }

    pub(super) fn launch_in(&self, directory: &Path) -> Launch {
        Launch::new(self.client, &self.home, directory)
    }

    /// Runs the program without a screen until its script is played.
    pub(super) fn plays(&self, steps: Vec<Step>) -> Script {
        let script = self.script(steps);
        let ended = self.launch().headless("Do it.").wait();
        assert_eq!(ended.code, Some(0), "{ended:#?}");
        script.finished();
        script
    }

    /// `test:ana` does something, which must succeed.
    pub(super) fn ana(&self, arguments: &[&str]) -> Value {
        let ran = self.world.run_as("ana", &[arguments, &["--json"]].concat());
        assert_eq!(ran.status, 0, "{arguments:?}: {ran:?}");
        ran.json()["data"].clone()
    }

    pub(super) fn ana_releases(&self) {
        self.ana(&["release", "--status", "The cache is done.", "--next", "Look at the tests."]);
    }

    /// The ids of the members that are programs.
    pub(super) fn programs(&self) -> Vec<String> {
        let state = self.world.data_of(&["room", "state", "--room", &self.room]);
        let members = state["members"].as_array().cloned().unwrap_or_default();
        let ids = members.iter().filter_map(|member| member["agent_id"].as_str().map(str::to_owned));
        ids.filter(|id| id.starts_with(harness(self.client))).collect()
    }

    /// Waits for something that a program does by itself, and that no event tells a test.
    pub(super) fn wait_until(&self, what: &str, is_so: impl Fn() -> bool) {
        for _ in 0..LOOKS {
            if is_so() {
                return;
            }
            // Each look starts a process, which takes its time.
            self.world.run(&["status"]);
        }
        panic!("{what} did not happen");
    }
}

/// The program's name on Baton's command line.
pub(super) const fn harness(client: Client) -> &'static str {
    match client {
        Client::Claude => "claude-code",
        Client::Codex => "codex",
        Client::Gemini => "gemini",
        Client::OpenCode => "opencode",
    }
}

/// The text of a file, if it is there.
pub(super) fn text(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok()
}
