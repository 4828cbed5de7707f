//! Someone in a story.

use std::{
    sync::{Arc, Mutex, MutexGuard},
    thread::{self, ScopedJoinHandle},
};

use baton_app::{
    Caller, Cancel, Failure, Rights,
    artifacts::Keeping,
    identity::{Conversation, Resolved},
    table::{self, Subject},
};
use baton_core::{
    ids::{AgentId, RoomId},
    process::{ProcessIdentity, SessionKind},
    room::Actor,
};
use serde_json::{Value, json};

use crate::{Sleeper, TestApp, handoff};

/// An agent, its connection, and perhaps its process. It remembers the room it joined last.
pub struct Agent<'a> {
    app: &'a TestApp,
    caller: Caller,
    sleeper: Mutex<Option<Sleeper>>,
    room: Mutex<Option<RoomId>>,
}

/// A grant of the stick, and the answer it came in.
#[derive(Clone, Debug)]
pub struct Turn {
    /// Which turn.
    pub turn_id: u64,
    /// Its token.
    pub lease_id: String,
    /// All that was answered.
    pub answer: Value,
}

impl<'a> Agent<'a> {
    pub(crate) fn new(app: &'a TestApp, name: &str, sleeper: Option<Sleeper>) -> Self {
        let process = sleeper.as_ref().map(Sleeper::identity);
        Self { sleeper: Mutex::new(sleeper), ..Self::identified(app, name, process) }
    }

    /// Someone behind a process that is not the test's to stop and kill.
    pub(crate) fn identified(app: &'a TestApp, name: &str, process: Option<ProcessIdentity>) -> Self {
        Self::acting(app, Actor::found(name.parse().unwrap(), process, SessionKind::McpHarness))
    }

    pub(crate) fn acting(app: &'a TestApp, actor: Actor) -> Self {
        let caller = Caller::new(actor, app.workspace().at(""));
        Self { app, caller, sleeper: Mutex::default(), room: Mutex::default() }
    }

    /// Someone whose caller the test made.
    pub(crate) fn calling(app: &'a TestApp, caller: Caller) -> Self {
        Self { app, caller, sleeper: Mutex::default(), room: Mutex::default() }
    }

    /// A person who steers.
    pub(crate) fn person(app: &'a TestApp, name: &str) -> Self {
        let identity = Actor::found(name.parse().unwrap(), None, SessionKind::Human);
        Self::calling(app, Caller::new(identity, app.workspace().at("")).granted(Rights::Operator))
    }

    /// Another live process that signals nothing but this agent's conversation: what a resumed harness looks like.
    pub fn second_process(&self, parallel_id: &str) -> Self {
        let sleeper = Sleeper::start();
        let actor = Actor::found(self.id(), Some(sleeper.identity()), SessionKind::McpHarness);
        let conversation = Conversation::Of { parallel_id: parallel_id.parse().unwrap(), is_single: false };
        let resolved = Resolved { actor, conversation };
        let caller = Caller::new(resolved, self.caller.cwd.clone());
        let room = Mutex::new(self.room_lock().clone());
        Self { app: self.app, caller, sleeper: Mutex::new(Some(sleeper)), room }
    }

    /// A command that this agent's harness runs in a sandbox, from which no process of it can be seen.
    pub fn in_a_sandbox(&self) -> Self {
        let actor = Actor::found(self.id(), None, SessionKind::McpHarness);
        let caller = Caller::new(Resolved { actor, conversation: Conversation::Sandboxed }, self.caller.cwd.clone());
        let room = Mutex::new(self.room_lock().clone());
        Self { app: self.app, caller, sleeper: Mutex::default(), room }
    }

    /// Another conversation of the same process, on the same connection.
    pub fn on_the_same_connection(&self, name: &str) -> Self {
        let actor = Actor::found(name.parse().unwrap(), Some(self.process()), SessionKind::McpHarness);
        let caller = Caller::new(actor, self.caller.cwd.clone());
        let caller = caller.on(Arc::clone(&self.caller.connection), Cancel::never());
        let room = Mutex::new(self.room_lock().clone());
        Self { app: self.app, caller, sleeper: Mutex::default(), room }
    }

    /// Another agent of the same process.
    pub fn sibling(&self, name: &str) -> Self {
        let room = Mutex::new(self.room_lock().clone());
        Self { room, ..Self::identified(self.app, name, Some(self.process())) }
    }

    /// Another live process that was given this agent's id by hand.
    pub fn impostor(&self) -> Self {
        let sleeper = Sleeper::start();
        let found = Actor::found("shell:eve:0badcafe".parse().unwrap(), Some(sleeper.identity()), SessionKind::Shell);
        let caller = Caller::new(found.overridden(self.id()), self.caller.cwd.clone());
        let room = Mutex::new(self.room_lock().clone());
        Self { app: self.app, caller, sleeper: Mutex::new(Some(sleeper)), room }
    }

    /// The same agent, working at another path of the workspace.
    pub fn at(&self, path: &str) -> Self {
        let mut caller = self.caller.clone();
        caller.cwd = self.app.workspace().at(path);
        Self { app: self.app, caller, sleeper: Mutex::default(), room: Mutex::new(self.room_lock().clone()) }
    }

    /// The same agent in another call, which can be withdrawn.
    pub fn on_call(&self, cancel: Cancel) -> Self {
        let caller = self.caller.clone().on(self.caller.connection.clone(), cancel);
        Self { app: self.app, caller, sleeper: Mutex::default(), room: Mutex::new(self.room_lock().clone()) }
    }

    /// The same agent, calling another app on the same store.
    pub fn through<'b>(&self, app: &'b TestApp) -> Agent<'b> {
        Agent {
            app,
            caller: self.caller.clone(),
            sleeper: Mutex::default(),
            room: Mutex::new(self.room_lock().clone()),
        }
    }

    /// The agent's present id.
    pub fn id(&self) -> AgentId {
        self.caller.actor().agent_id
    }

    /// The caller it is on the table.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The process behind it.
    pub fn process(&self) -> ProcessIdentity {
        self.caller.actor().process.expect("the agent has a process")
    }

    /// The room it joined last.
    pub fn room(&self) -> RoomId {
        self.room_lock().clone().expect("the agent has joined a room")
    }

    /// Goes to a room without joining it.
    pub fn enter(&self, room: &RoomId) {
        *self.room_lock() = Some(room.clone());
    }

    fn room_lock(&self) -> MutexGuard<'_, Option<RoomId>> {
        self.room.lock().unwrap()
    }

    /// Calls a command. Unless the input says otherwise, it is about the room joined last.
    pub fn call(&self, command: &str, mut input: Value) -> Result<Value, Failure> {
        let about_a_room = table::find(command).is_some_and(|command| command.subject == Subject::Room);
        if about_a_room
            && !matches!(command, "room.join" | "room.list")
            && let (Some(fields), Some(room)) = (input.as_object_mut(), &*self.room_lock())
        {
            fields.entry("room_id").or_insert_with(|| room.as_str().into());
        }
        let answer = self.app.call(&self.caller, command, input)?;
        if command == "room.join" {
            *self.room_lock() = Some(answer["room_id"].as_str().unwrap().parse().unwrap());
        }
        Ok(answer)
    }

    /// Calls a command that must be carried out.
    pub fn does(&self, command: &str, input: Value) -> Value {
        self.call(command, input).unwrap_or_else(|failure| panic!("{}: {command}: {failure}", self.id()))
    }

    /// Calls a command that must be refused, and gives the refusal as callers see it.
    pub fn refused(&self, command: &str, input: Value) -> Value {
        match self.call(command, input) {
            Ok(answer) => panic!("{}: {command} was carried out: {answer}", self.id()),
            Err(failure) => failure.to_json(),
        }
    }

    /// Keeps a file in the room joined last, and tells what to open it with.
    pub fn keeps(&self, keeping: &Keeping<'_>) -> String {
        let kept = self.app.app().keep_artifact(&self.caller, &self.room(), keeping);
        kept.unwrap_or_else(|failure| panic!("{}: {failure}", self.id())).to_string()
    }

    /// Joins the workspace's root.
    pub fn join(&self) -> Value {
        self.join_at("")
    }

    /// Joins at a path of the workspace.
    pub fn join_at(&self, path: &str) -> Value {
        self.does("room.join", json!({"context_path": self.app.workspace().at(path)}))
    }

    /// Asks once whether it is its turn.
    pub fn wait(&self) -> Value {
        self.does("stick.wait", json!({"max_wait_ms": 0}))
    }

    /// Gets the stick, which must be there for it.
    pub fn claim(&self) -> Turn {
        let answer = self.wait();
        assert_eq!(answer["status"], "your_turn", "{}: {answer}", self.id());
        Turn::of(answer)
    }

    /// Lets the next one have the stick.
    pub fn release(&self, turn: &Turn) -> Value {
        self.does("stick.release", turn.showing(json!({"handoff": handoff("done")})))
    }

    /// Lets a chosen one have it.
    pub fn pass(&self, turn: &Turn, to: &Agent<'_>) -> Value {
        self.does("stick.pass", turn.showing(json!({"to_agent_id": to.id(), "handoff": handoff("done")})))
    }

    /// Takes the stick over, which must be possible.
    pub fn take(&self) -> Turn {
        Turn::of(self.does("stick.takeover", self.taking()))
    }

    /// What a takeover of the current turn says.
    pub fn taking(&self) -> Value {
        json!({"expected_turn_id": self.app.stored(&self.room()).turn, "reason": "no answer"})
    }

    /// Looks at the room.
    pub fn state(&self) -> Value {
        self.does("room.state", json!({}))
    }

    /// Which of the eight states the room is in.
    pub fn room_state(&self) -> String {
        self.state()["room"]["state"].as_str().unwrap().to_owned()
    }

    /// Its own entry among the members.
    pub fn entry(&self) -> Value {
        let state = self.state();
        let entries = state["members"].as_array().unwrap();
        entries.iter().find(|entry| entry["agent_id"] == self.id().as_str()).unwrap().clone()
    }

    /// The words for what happened, oldest first: `create join claim …`
    pub fn story(&self) -> String {
        let page = self.does("room.events", json!({"after": 0, "limit": 200}));
        let word = |event: &Value| event["event_type"].as_str().unwrap().to_owned();
        page["events"].as_array().unwrap().iter().map(word).collect::<Vec<_>>().join(" ")
    }

    /// Waits for up to 50 s in a thread of its own, and returns once that wait listens.
    pub fn waits_in<'scope>(
        &'scope self,
        scope: &'scope thread::Scope<'scope, '_>,
        input: Value,
    ) -> ScopedJoinHandle<'scope, Result<Value, Failure>> {
        let mut input = input;
        input.as_object_mut().unwrap().entry("max_wait_ms").or_insert_with(|| 50_000.into());
        let waiting = scope.spawn(move || self.call("stick.wait", input));
        while !self.app.is_listening(&self.room(), &self.id()) {
            if waiting.is_finished() {
                break;
            }
            thread::yield_now();
        }
        waiting
    }

    /// Kills the agent's process and waits until it is gone.
    pub fn dies(&self) {
        self.with_process(Sleeper::kill);
    }

    /// Stops the agent's process.
    pub fn stops(&self) {
        self.with_process(|sleeper| sleeper.stop());
    }

    /// Lets the agent's process go on.
    pub fn resumes(&self) {
        self.with_process(|sleeper| sleeper.resume());
    }

    fn with_process(&self, act: impl FnOnce(&mut Sleeper)) {
        act(self.sleeper.lock().unwrap().as_mut().expect("the agent has a process"));
    }
}

impl Turn {
    /// The turn in an answer that grants one.
    pub fn of(answer: Value) -> Self {
        Self {
            turn_id: answer["turn_id"].as_u64().unwrap(),
            lease_id: answer["lease_id"].as_str().unwrap().to_owned(),
            answer,
        }
    }

    /// An owner's request: its fence, and what else it says.
    pub fn showing(&self, rest: Value) -> Value {
        let mut input = json!({"lease_id": self.lease_id, "expected_turn_id": self.turn_id});
        input.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        input
    }
}
