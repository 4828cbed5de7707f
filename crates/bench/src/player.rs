//! An agent that takes and gives back the stick through the app, the way an adapter does.
//!
//! It runs commands of the table on JSON ([`Command::run`]), which is what MCP does with every call. Making the
//! request is not measured, because an adapter has it from its client; reading it and making the answer are.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use baton_app::{
    App, Caller, Failure,
    clock::{RandomIds, Time},
    commands::stick::{Release, ReleaseInput, Wait, WaitForTurnResult, WaitInput},
    environment::Environment,
    liveness,
    table::{self, Command, UseCase},
};
use baton_core::{code::ErrorCode, handoff::Handoff, process::SessionKind, room::Actor};
use serde_json::{Value, json};

use crate::trouble::{Outcome, refused};

/// An agent in a room.
pub(crate) struct Player {
    app: App,
    caller: Caller,
    room_id: String,
    wait: &'static Command,
    release: &'static Command,
    note: &'static Command,
    /// The lease and its turn, while it holds the stick.
    held: Option<(Value, Value)>,
}

/// By which of the table's two doors a transition goes in.
#[derive(Clone, Copy)]
pub(crate) enum Door {
    /// JSON in and out: [`Command::run`], as adapters do.
    Json,
    /// Rust types in and out: [`UseCase::run`].
    Typed,
}

impl Player {
    /// Joins the room of `workspace`, in the store at `data` (a directory, or the address of a server), as `agent`.
    pub(crate) fn join(data: &Path, workspace: &Path, agent: &str) -> Outcome<Self> {
        fs::create_dir_all(workspace)?;
        let environment = Environment::read();
        let location = environment.store_location(data.to_str()).map_err(refused)?;
        let app = App::open(&location, environment, Time::Own, Box::new(RandomIds)).map_err(refused)?;
        let own = liveness::identify(std::process::id());
        let actor = Actor::found(agent.parse()?, own, SessionKind::McpHarness);
        let caller = Caller::new(actor, workspace.to_owned());
        let find = Self::command;
        let joined = find("room.join")?.run(&app, &caller, json!({"context_path": workspace})).map_err(refused)?;
        let room_id = joined["room_id"].as_str().ok_or("joining answered no room")?.to_owned();
        let (wait, release, note) = (find("stick.wait")?, find("stick.release")?, find("room.note")?);
        Ok(Self { app, caller, room_id, wait, release, note, held: None })
    }

    /// A command of the table.
    pub(crate) fn command(name: &str) -> Outcome<&'static Command> {
        table::find(name).ok_or_else(|| format!("the table has no {name}").into())
    }

    /// Runs a command that was found before.
    pub(crate) fn run(&self, command: &Command, input: Value) -> Result<Value, Failure> {
        command.run(&self.app, &self.caller, input)
    }

    /// Runs a command by its name.
    pub(crate) fn does(&self, name: &str, input: Value) -> Result<Value, Failure> {
        self.run(Self::command(name).map_err(unexpected)?, input)
    }

    /// What it works with.
    #[cfg(test)]
    pub(crate) fn app(&self) -> &App {
        &self.app
    }

    /// The room it is in.
    pub(crate) fn room_id(&self) -> &str {
        &self.room_id
    }

    /// Takes the stick if it does not hold it, gives it back if it does, and tells how long the command took.
    pub(crate) fn transition(&mut self, door: Door) -> Result<Duration, Failure> {
        match (door, self.held.take()) {
            (Door::Json, None) => self.claim(0)?.ok_or_else(|| unexpected("the stick was not free")),
            (Door::Json, Some(held)) => self.release(held),
            (Door::Typed, None) => self.claim_typed(),
            (Door::Typed, Some(held)) => self.release_typed(held),
        }
    }

    /// Waits for the stick. `None` when it did not come in time.
    pub(crate) fn claim(&mut self, max_wait_ms: u64) -> Result<Option<Duration>, Failure> {
        let input = json!({"room_id": self.room_id, "max_wait_ms": max_wait_ms});
        let started = Instant::now();
        let mut answer = self.wait.run(&self.app, &self.caller, input)?;
        let took = started.elapsed();
        if answer["status"] != "your_turn" {
            return Ok(None);
        }
        self.held = Some((answer["lease_id"].take(), answer["turn_id"].take()));
        Ok(Some(took))
    }

    /// Gives the stick to whoever is next.
    pub(crate) fn give(&mut self) -> Result<Duration, Failure> {
        let held = self.held.take().ok_or_else(|| unexpected("the stick is not held"))?;
        self.release(held)
    }

    fn release(&self, (lease_id, turn_id): (Value, Value)) -> Result<Duration, Failure> {
        let input = json!({
            "room_id": self.room_id,
            "lease_id": lease_id,
            "expected_turn_id": turn_id,
            "handoff": handoff(),
        });
        let started = Instant::now();
        self.release.run(&self.app, &self.caller, input)?;
        Ok(started.elapsed())
    }

    /// Leaves a remark, which anybody may at any time.
    pub(crate) fn note(&self) -> Result<Duration, Failure> {
        let input = json!({"room_id": self.room_id, "text": "Looked at the parser; nothing to change there."});
        let started = Instant::now();
        self.note.run(&self.app, &self.caller, input)?;
        Ok(started.elapsed())
    }

    fn claim_typed(&mut self) -> Result<Duration, Failure> {
        let room_id = self.room_id.parse().map_err(unexpected)?;
        let input = WaitInput { room_id, cursor: None, max_wait_ms: Some(0), park: false, idempotency_key: None };
        let started = Instant::now();
        let answer = Wait::run(&self.app, &self.caller, input)?;
        let took = started.elapsed();
        let WaitForTurnResult::YourTurn { lease_id, turn_id, .. } = answer else {
            return Err(unexpected("the stick was not free"));
        };
        self.held = Some((json!(lease_id), json!(turn_id)));
        Ok(took)
    }

    fn release_typed(&self, (lease_id, turn_id): (Value, Value)) -> Result<Duration, Failure> {
        let input = ReleaseInput {
            room_id: self.room_id.parse().map_err(unexpected)?,
            lease_id: serde_json::from_value(lease_id).map_err(unexpected)?,
            expected_turn_id: serde_json::from_value(turn_id).map_err(unexpected)?,
            handoff: serde_json::from_value::<Handoff>(handoff()).map_err(unexpected)?,
            idempotency_key: None,
        };
        let started = Instant::now();
        Release::run(&self.app, &self.caller, input)?;
        Ok(started.elapsed())
    }
}

/// A handoff of the length that agents write.
pub(crate) fn handoff() -> Value {
    json!({
        "status": "Split the parser in two and moved its tests along; all of them pass. The lexer is untouched.",
        "next_action": "Review src/parser/expression.rs, then make the error messages name the line.",
        "artifacts": [{"path": "src/parser/expression.rs", "lines": [10, 80], "role": "review"}],
    })
}

fn unexpected(what: impl std::fmt::Display) -> Failure {
    Failure::new(ErrorCode::Internal, format!("the bench did not expect this: {what}"))
}
