//! A program in a home of its own, started as Baton starts it: prompt on its input, answers as lines of JSON.
#![expect(clippy::unwrap_used, reason = "these helpers are part of tests, where a failed step ends the test")]

use std::{
    fs,
    io::Write,
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Child, Command, Output, Stdio},
};

use baton_testkit::{ClientHome, Clients, model::Model};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Which program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    Codex,
    Claude,
}

/// A program that can be run several times in the same home.
#[derive(Debug)]
pub(crate) struct Runs {
    program: Program,
    directory: TempDir,
    home: ClientHome,
}

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) ended_well: bool,
    pub(crate) events: Vec<Value>,
    /// All it printed.
    pub(crate) text: String,
}

impl Program {
    pub(crate) const ALL: [Self; 2] = [Self::Codex, Self::Claude];

    /// Runs of it against `model`, under the name `ann`.
    pub(crate) fn at(self, model: &Model) -> Runs {
        self.with(model, |home| home)
    }

    /// Runs of it that end with the first failure of the model.
    pub(crate) fn impatient_at(self, model: &Model) -> Runs {
        self.with(model, ClientHome::impatient)
    }

    /// Runs of `codex` that takes the model for one that it knows.
    pub(crate) fn codex_as(known: &'static str, model: &Model) -> Runs {
        Self::Codex.with(model, |home| home.codex_as(known))
    }

    fn with(self, model: &Model, adapt: impl Fn(ClientHome) -> ClientHome) -> Runs {
        let directory = tempfile::tempdir().unwrap();
        let home = adapt(ClientHome::new(&directory.path().join("home")));
        let home = home.codex(&model.url("ann")).claude(&model.url("ann"));
        fs::create_dir(directory.path().join("work")).unwrap();
        Runs { program: self, directory, home }
    }
}

impl Runs {
    /// Asks it something, and waits for the end.
    pub(crate) fn ask(&self, prompt: &str, more: &[&str]) -> Run {
        Run::of(self.start(prompt, more).wait_with_output().unwrap())
    }

    /// Goes on with a session.
    pub(crate) fn resume(&self, session: &str, prompt: &str) -> Run {
        match self.program {
            Program::Codex => self.ask(prompt, &["resume", session, "-"]),
            Program::Claude => self.ask(prompt, &["--resume", session]),
        }
    }

    /// Asks for an answer that fits a schema, and gives that.
    pub(crate) fn ask_for(&self, schema: &Value, prompt: &str) -> Value {
        match self.program {
            Program::Codex => {
                let (form, last) = (self.file("schema.json"), self.file("last"));
                fs::write(&form, schema.to_string()).unwrap();
                let (form, last) = (form.to_str().unwrap().to_owned(), last.to_str().unwrap().to_owned());
                let run = self.ask(prompt, &["--output-schema", &form, "--output-last-message", &last]);
                assert!(run.ended_well, "{}", run.text);
                serde_json::from_str(&fs::read_to_string(last).unwrap()).unwrap()
            }
            Program::Claude => {
                let run = self.ask(prompt, &["--json-schema", &schema.to_string()]);
                assert!(run.ended_well, "{}", run.text);
                run.result()["structured_output"].clone()
            }
        }
    }

    /// Starts it with a prompt.
    pub(crate) fn start(&self, prompt: &str, more: &[&str]) -> Child {
        let mut command = match self.program {
            Program::Codex => Command::new(Clients::codex()),
            Program::Claude => Command::new(Clients::claude()),
        };
        command.args(match self.program {
            Program::Codex => CODEX,
            Program::Claude => CLAUDE,
        });
        command.args(more).env_clear().envs(self.home.environment()).current_dir(self.file("work"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(prompt.as_bytes()).unwrap();
        child
    }

    /// Sends it a signal, and everything it started (`codex` is a launcher and, behind it, the program), and waits
    /// for its end.
    pub(crate) fn end(&self, mut child: Child, signal: Signal) {
        kill_process_group(Pid::from_child(&child), signal).unwrap();
        child.wait().unwrap();
    }

    /// A call of one of the program's own tools that does nothing but prints `word`.
    pub(crate) fn own_echo(&self, word: &str) -> (&'static str, Value) {
        match self.program {
            Program::Codex => ("exec_command", json!({"cmd": format!("echo {word}")})),
            Program::Claude => ("Bash", json!({"command": format!("echo {word}"), "description": "Say a word"})),
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }
}

const CODEX: &[&str] = &["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
const CLAUDE: &[&str] = &["-p", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions"];

impl Run {
    pub(crate) fn of(output: Output) -> Self {
        let printed = String::from_utf8(output.stdout).unwrap();
        let events = printed.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let text = format!("{}\n{printed}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
        Self { ended_well: output.status.success(), events, text }
    }

    /// The last thing it said.
    pub(crate) fn said(&self) -> String {
        let said = self.events.iter().rev().find_map(|event| match event["type"].as_str()? {
            "item.completed" if event["item"]["type"] == "agent_message" => event["item"]["text"].as_str(),
            "result" => event["result"].as_str(),
            _ => None,
        });
        said.unwrap_or_else(|| panic!("it said nothing: {}", self.text)).to_owned()
    }

    /// What `claude` ends with.
    pub(crate) fn result(&self) -> &Value {
        let result = self.events.iter().rev().find(|event| event["type"] == "result");
        result.unwrap_or_else(|| panic!("no result: {}", self.text))
    }

    /// The session to go on with.
    pub(crate) fn session(&self) -> String {
        let id =
            self.events.iter().find_map(|event| event["thread_id"].as_str().or_else(|| event["session_id"].as_str()));
        id.unwrap_or_else(|| panic!("no session: {}", self.text)).to_owned()
    }
}
