//! A store, a workspace and a home, and the program run in them with nothing inherited.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use baton_app::environment::Environment;
use baton_testkit::{Backend, Place};
use serde_json::Value;

/// The program under test.
pub(crate) const BATON: &str = env!("CARGO_BIN_EXE_baton");

/// Longer than any command here takes; a hang becomes a failure.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Where one test lives.
pub(crate) struct World {
    place: Place,
    /// The address of its store, where that is not the data directory.
    store: Option<String>,
}

/// What a command came to.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl World {
    /// A workspace with a marker, an empty home, and no store yet.
    pub(crate) fn new() -> Self {
        Self::on(Backend::Sqlite)
    }

    /// The same on an engine of choice.
    pub(crate) fn on(backend: Backend) -> Self {
        let place = Place::new(backend);
        let store = (backend == Backend::Postgres).then(|| place.address());
        Self::furnished(Self { place, store })
    }

    /// The same with a store that somebody else looks after.
    pub(crate) fn at(store: String) -> Self {
        Self::furnished(Self { place: Place::new(Backend::Sqlite), store: Some(store) })
    }

    /// Plays a story in a world of its own on every engine.
    pub(crate) fn on_every_backend(story: impl Fn(Self)) {
        for backend in Backend::ALL {
            story(Self::on(*backend));
        }
    }

    fn furnished(self) -> Self {
        fs::create_dir(self.home()).unwrap();
        self.make_workspace("work");
        self
    }

    /// Another workspace, beside the one that all begin with.
    pub(crate) fn make_workspace(&self, name: &str) -> PathBuf {
        let workspace = self.root().join(name);
        fs::create_dir(&workspace).unwrap();
        fs::write(workspace.join("AGENTS.md"), "# A workspace\n").unwrap();
        workspace
    }

    /// The directory everything is in, as the kernel names it.
    pub(crate) fn root(&self) -> PathBuf {
        self.place.directory().canonicalize().unwrap()
    }

    /// Where its store lives, for what only a test would do there.
    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.root().join("data")
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.root().join("work")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    /// A command with this world's environment and nothing else: what was inherited must not decide identity.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().current_dir(self.workspace());
        command.env("BATON_DATA_DIR", self.data()).env("HOME", self.home()).env("USER", "ana");
        // A story that wants a runner starts it.
        command.env("BATON_RUNNER_AUTOSTART", "0");
        command.envs(self.store.as_ref().map(|store| ("BATON_STORE", store)));
        command.envs(Environment::read().var("PATH").map(|path| ("PATH", path.to_owned())));
        command
    }

    /// The program, with `arguments`.
    pub(crate) fn baton(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(BATON);
        command.args(arguments);
        command
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.baton(arguments))
    }

    /// The same, as the agent `test:WHO`.
    pub(crate) fn run_as(&self, who: &str, arguments: &[&str]) -> Ran {
        let mut command = self.baton(arguments);
        command.env("BATON_AGENT_ID", format!("test:{who}"));
        Ran::of(command)
    }

    /// Runs it as the agent that works on the job of an assignment: `room_…/JOB-001/1/RUNNER/cap_…`.
    pub(crate) fn run_on(&self, assignment: &str, arguments: &[&str]) -> Ran {
        let mut command = self.baton(arguments);
        command.env("BATON_JOB", assignment);
        Ran::of(command)
    }

    /// Has `test:WHO` join, and tells the room.
    pub(crate) fn join_as(&self, who: &str) -> String {
        let ran = self.run_as(who, &["join", "--json"]);
        assert_eq!(ran.status, 0, "{ran:?}");
        ran.json()["data"]["room_id"].as_str().unwrap().to_owned()
    }

    /// The `data` of a command that must succeed, with `--json`.
    pub(crate) fn data_of(&self, arguments: &[&str]) -> Value {
        let ran = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(ran.status, 0, "{arguments:?}: {ran:?}");
        ran.json()["data"].clone()
    }

    /// Has `baton doctor` prove that the store is sound and every room is the fold of its log.
    pub(crate) fn assert_sound(&self) {
        let ran = self.run(&["doctor", "--json"]);
        let report = ran.json();
        let checks = report["data"]["checks"].as_array().unwrap();
        let wrong: Vec<_> = checks.iter().filter(|check| check["ok"] != true).collect();
        assert!(ran.status == 0 && !checks.is_empty() && wrong.is_empty(), "{wrong:#?}\n{ran:?}");
    }

    /// The whole log of a room, oldest first.
    pub(crate) fn log(&self, room_id: &str) -> Vec<Value> {
        let (mut events, mut after) = (Vec::new(), 0);
        loop {
            let after_text = after.to_string();
            let page = self.data_of(&["room", "events", "--room", room_id, "--after", &after_text, "--limit", "200"]);
            events.extend(page["events"].as_array().unwrap().iter().cloned());
            match page["cursor"].as_u64() {
                Some(next) => after = next,
                None => return events,
            }
        }
    }

    /// Every file below `directory`, with its contents.
    pub(crate) fn files(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        for entry in fs::read_dir(directory).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                found.extend(Self::files(&path));
            } else {
                found.push((path.clone(), fs::read(&path).unwrap_or_default()));
            }
        }
        found.sort();
        found
    }
}

impl Ran {
    /// Runs a command with no input.
    pub(crate) fn of(command: Command) -> Self {
        Self::with_input(command, "")
    }

    /// Runs a command with `input` on its standard input.
    pub(crate) fn with_input(command: Command, input: &str) -> Self {
        let output = assert_cmd::Command::from_std(command).timeout(PATIENCE).write_stdin(input).output().unwrap();
        let ran = Self {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        };
        assert!(!ran.stderr.contains("panicked") && !ran.stdout.contains("panicked"), "{ran:?}");
        ran
    }

    /// Standard output as the one JSON object it must be.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Standard output as the JSON objects that it has, each in a line of its own.
    pub(crate) fn records(&self) -> Vec<Value> {
        let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {self:?}"));
        assert_eq!(self.status, 0, "{self:?}");
        self.stdout.lines().map(read).collect()
    }

    /// The code of the refusal in a `--json` answer.
    pub(crate) fn code(&self) -> String {
        self.json()["error"]["error"].as_str().unwrap_or_default().to_owned()
    }
}
