//! A session, a runner with a scripted program, and people who talk to its job.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, channel},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use baton_app::{
    App, Caller, Rights,
    clock::Time,
    environment::Environment,
    identity::{Assignment, Employment},
    table,
};
use baton_core::{ids::RoomId, limits, process::SessionKind, room::Actor, runner::Injection, runner::SkillProfile};
use baton_runner::{
    Backoff, Leave, LookAgain, Settings, StoreHint, Summary, Told, Until,
    executor::{CommandLine, Executor, Limits, Profiles},
    run,
};
use baton_testkit::{Backend, Place, SequentialIds, script};
use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::{Value, json};

/// The first job of a session.
pub(crate) const JOB: &str = "JOB-001";
/// Longer than anything here takes.
const PATIENCE_MS: u64 = 50_000;
const PLENTY: Duration = Duration::from_secs(600);

pub(crate) struct Stage {
    place: Place,
    pub(crate) app: Arc<App>,
    pub(crate) room: RoomId,
}

/// A runner on a thread of its own. It is asked to end when it is dropped.
pub(crate) struct Running {
    leave: Leave,
    thread: Option<JoinHandle<Summary>>,
    lines: Mutex<Receiver<String>>,
}

impl Stage {
    /// A session with an agent `ana`. `program` is a shell script that reads its prompt from `$prompt` and counts its runs
    /// in `$n`.
    pub(crate) fn new(program: &str) -> Self {
        let place = Place::new(Backend::Sqlite);
        let here = place.directory().to_owned();
        let preamble = r#"#!/bin/sh
set -eu
here='HERE'
n=$(( $(cat "$here/turns" 2>/dev/null || echo 0) + 1 ))
echo $n > "$here/turns"
cat > "$here/prompt-$n"
last=$(tail -n 1 "$here/prompt-$n")
"#;
        script(&here.join("program"), &format!("{}{program}\n", preamble.replace("HERE", &here.display().to_string())));
        fs::create_dir(here.join("work")).unwrap();
        let home = [("HOME".to_owned(), here.display().to_string())];
        let environment = Environment::of(home, here.clone());
        let app = App::open(&place.location(), environment, Time::Own, Box::new(SequentialIds::default())).unwrap();
        let app = Arc::new(app);
        let opened = call(&app, "ana", "bus.open", json!({ "name": "roof" }));
        let room: RoomId = opened["session"]["id"].as_str().unwrap().parse().unwrap();
        let stage = Self { place, app, room };
        stage.call("ana", "bus.add", json!({}));
        stage
    }

    pub(crate) fn here(&self) -> &Path {
        self.place.directory()
    }

    /// Creates a job of this kind.
    pub(crate) fn job(&self, kind: &str) {
        self.job_with(json!({ "kind": kind }));
    }

    /// Creates a job with something of its own.
    pub(crate) fn job_with(&self, more: Value) {
        let mut job = json!({ "title": "Mend the roof", "prompt": "It rains in.", "executor": "command" });
        job.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let created = self.call("ana", "jobs.create", job);
        assert_eq!(created["job"], JOB);
    }

    /// The job as it is.
    pub(crate) fn shown(&self) -> Value {
        self.call("ana", "jobs.open", json!({ "job": JOB }))["job"].clone()
    }

    /// Starts a runner, and waits until the job's agent is in the session.
    pub(crate) fn run(&self, name: &str) -> Running {
        let running = self.start(name);
        running.says("in the session");
        running
    }

    pub(crate) fn start(&self, name: &str) -> Running {
        let (send, lines) = channel();
        let leave = Leave::new().unwrap();
        let settings = self.settings(name, leave.clone());
        let told = Told::to(move |line| {
            let _ = send.send(line.to_owned());
        });
        let app = Arc::clone(&self.app);
        let thread = thread::spawn(move || run(app, settings, told).unwrap());
        Running { leave, thread: Some(thread), lines: Mutex::new(lines) }
    }

    fn settings(&self, name: &str, leave: Leave) -> Settings {
        let program = self.here().join("program");
        let argv = vec![program.display().to_string()];
        Settings {
            room: self.room.clone(),
            runner: format!("runner:{name}").parse().unwrap(),
            employment: Employment::None,
            workspace: Some(self.here().join("work")),
            executors: vec![Executor::Command(
                program,
                CommandLine { argv, profiles: Profiles::default(), env: Vec::new() },
            )],
            environment: Environment::read(),
            env: Vec::new(),
            missing: Vec::new(),
            look_again: LookAgain::never(),
            max_parallel: 4,
            until: Until::Told,
            limits: Limits { slice: PLENTY, grace: PLENTY },
            job_limit: PLENTY,
            claim_ttl: limits::CLAIM_TTL,
            runner_ttl: limits::RUNNER_TTL,
            skill: Injection { profile: SkillProfile::Daily, max_chars: 0 },
            roles: Some(self.here().join("roles")),
            worktrees: self.here().join("worktrees"),
            locks: self.here().join("programs"),
            own_program: PathBuf::from(env!("CARGO_BIN_EXE_baton-minder")),
            server_program: PathBuf::from("/nonexistent"),
            store: StoreHint::default(),
            scratch: self.here().join("slices"),
            backoff: Backoff::default(),
            failures_max: 3,
            leave,
        }
    }

    /// Calls a command that names its room by itself.
    pub(crate) fn look(&self, command: &str, input: Value) -> Value {
        call(&self.app, "ana", command, input)
    }

    /// Calls a command, which must succeed.
    pub(crate) fn call(&self, who: &str, command: &str, mut input: Value) -> Value {
        input["room_id"] = json!(self.room);
        call(&self.app, who, command, input)
    }

    /// Reports to the job as the program that was given `assignment` in `BATON_JOB`.
    pub(crate) fn report_as(&self, assignment: &str, mut input: Value) {
        let assignment: Assignment = assignment.trim().parse().unwrap();
        (input["room_id"], input["job"]) = (json!(self.room), json!(JOB));
        let actor = Actor::found(assignment.agent_id(), None, SessionKind::Shell);
        let caller = Caller::new(actor, "/".into()).assigned(assignment);
        table::find("jobs.report").unwrap().run(&self.app, &caller, input).unwrap();
    }

    /// Has `ana` submit actions to the job's agent, each named and with what it asks.
    pub(crate) fn ask(&self, group: &str, actions: &[(&str, Value)]) {
        let actions = actions.iter().zip(0..).map(|((name, what), index)| {
            let mut action = json!({ "dst": "job-001", "action_id": name, "action_index": index });
            action.as_object_mut().unwrap().extend(what.as_object().unwrap().clone());
            action
        });
        let actions: Vec<Value> = actions.collect();
        self.call("ana", "bus.submit", json!({ "group_id": group, "actions": actions }));
    }

    /// Waits until all of a group has ended, and tells each with its last result.
    pub(crate) fn ended(&self, group: &str) -> Vec<String> {
        let found = self.call("ana", "bus.await", json!({ "group_id": group, "max_wait_ms": PATIENCE_MS }));
        assert_eq!(found["ended"], true, "{found:#}");
        let line = |action: &Value| {
            let text = |key: &str| action[key].as_str().unwrap_or_default().to_owned();
            format!("{} {} {}", text("action_id"), text("status"), text("detail")).trim_end().to_owned()
        };
        found["actions"].as_array().unwrap().iter().map(line).collect()
    }

    /// All results that an action had, in order.
    pub(crate) fn results(&self, action: &str) -> Vec<String> {
        let found = self.call("ana", "bus.history", json!({ "types": ["action.result"], "limit": 200 }));
        let of = |event: &&Value| event["payload"]["action_id"] == action;
        let events = found["events"].as_array().unwrap().iter().filter(of);
        events.map(|event| event["payload"]["status"].as_str().unwrap().to_owned()).collect()
    }

    /// Takes what was answered to somebody, at least this much of it.
    pub(crate) fn answers(&self, who: &str, count: usize) -> Vec<String> {
        let mut all = Vec::new();
        while all.len() < count {
            let taken = self.call(who, "bus.take", json!({ "max_wait_ms": PATIENCE_MS }));
            let deliveries = taken["deliveries"].as_array().unwrap();
            assert!(!deliveries.is_empty(), "only {all:?}");
            all.extend(deliveries.iter().map(|delivery| {
                let to = delivery["reply_to_action_id"].as_str().unwrap_or("nothing");
                format!("{to}: {}", delivery["text"].as_str().unwrap())
            }));
        }
        all
    }

    /// The prompt of a turn.
    pub(crate) fn prompt(&self, turn: u32) -> String {
        fs::read_to_string(self.here().join(format!("prompt-{turn}"))).unwrap()
    }

    /// A named pipe. Who opens one end waits for the other.
    pub(crate) fn pipe(&self, name: &str) -> PathBuf {
        let path = self.here().join(name);
        mkfifoat(CWD, &path, Mode::RWXU).unwrap();
        path
    }

    /// Waits until the job is over, and tells how it ended.
    pub(crate) fn end(&self) -> (String, String) {
        loop {
            let job = self.shown();
            let status = job["status"].as_str().unwrap();
            if !matches!(status, "QUEUED" | "RUNNING") {
                return (status.to_owned(), job["summary"].as_str().unwrap_or_default().to_owned());
            }
            let after = job["last"]["ref"].as_str().unwrap().split_once('@').unwrap().1.parse::<u64>().unwrap();
            self.call("ana", "jobs.tail", json!({ "job": JOB, "after": after, "max_wait_ms": PATIENCE_MS }));
        }
    }

    /// Who is in the session.
    pub(crate) fn agents(&self) -> Vec<String> {
        let found = self.call("ana", "agent.list", json!({}));
        found["agents"].as_array().unwrap().iter().map(|agent| agent["name"].as_str().unwrap().to_owned()).collect()
    }
}

impl Running {
    /// Waits until it says something with these words in it.
    pub(crate) fn says(&self, words: &str) {
        let (lines, mut said) = (self.lines.lock().unwrap(), Vec::new());
        loop {
            match lines.recv_timeout(Duration::from_secs(50)) {
                Ok(line) if line.contains(words) => return,
                Ok(line) => said.push(line),
                Err(_) => panic!("it never said {words:?}, but:\n{}", said.join("\n")),
            }
        }
    }

    /// Asks it to end, and waits for that.
    pub(crate) fn leave(mut self) {
        self.leave.ask();
        self.thread.take().unwrap().join().unwrap();
    }
}

impl Drop for Running {
    #[expect(clippy::print_stdout, reason = "it is shown with the test that failed")]
    fn drop(&mut self) {
        self.leave.ask();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        if thread::panicking() {
            let lines: Vec<String> = self.lines.lock().unwrap().try_iter().collect();
            println!("the runner said:\n{}", lines.join("\n"));
        }
    }
}

fn call(app: &App, who: &str, command: &str, input: Value) -> Value {
    let actor = Actor::found(format!("test:{who}").parse().unwrap(), None, SessionKind::Human);
    let found = table::find(command).unwrap_or_else(|| panic!("there is no {command}"));
    let called = found.run(app, &Caller::new(actor, "/".into()).granted(Rights::Operator), input);
    called.unwrap_or_else(|failure| panic!("{who} {command}: {failure}"))
}

/// A message to do something.
pub(crate) fn message(text: &str) -> Value {
    json!({ "type": "message", "kind": "user", "text": text })
}

/// A control command.
pub(crate) fn control(command: &str) -> Value {
    json!({ "type": "control", "command": command })
}
