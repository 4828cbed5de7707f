//! A command with what it is to be run on: found first and run after, so that an adapter knows its effect before.
//!
//! A tool of its own is called with the command's input. A portal is called with `{workspace?, op, args?, cmd?}`:
//! `op` is the command's name in the portal, or `call` with the full name in `cmd`; `args` is the command's input;
//! and the room is put in for the caller, who mostly means the one it is in. The op `help` asks about the portal itself,
//! or about the op that its `args` name.

use baton_core::{code::ErrorCode, ids::RoomId, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    command::{Command, Subject},
    parse::parse,
    place::{Place, Portal},
};
use crate::{App, Caller, Failure};

/// The op that takes a command's full name.
pub const CALL: &str = "call";
/// The op that asks what the others are and take. It is the portal's own and no command.
pub const HELP: &str = "help";
/// Where an input names the room it is about.
const ROOM: &str = "room_id";

/// A command and its input.
#[derive(Clone)]
pub struct Call {
    /// What is called.
    pub command: &'static Command,
    input: Input,
}

#[derive(Clone)]
enum Input {
    /// All of it.
    Whole(Map<String, Value>),
    /// What a portal was given: the room may be missing, and is then that of the workspace.
    Args { args: Map<String, Value>, workspace: Option<String> },
}

/// What a portal is asked for.
#[derive(Clone)]
pub enum Asked {
    /// To run a command.
    Call(Call),
    /// What its ops are, or what this one takes.
    Help(Option<&'static Command>),
}

/// What a caller of a portal says.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PortalInput {
    workspace: Option<String>,
    op: String,
    args: Option<Map<String, Value>>,
    cmd: Option<String>,
}

/// What a caller who asks for help may name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HelpInput {
    op: Option<String>,
}

impl Call {
    /// A call of a command by itself.
    pub const fn of(command: &'static Command, input: Map<String, Value>) -> Self {
        Self { command, input: Input::Whole(input) }
    }

    /// Runs it. A caller that is told of interrupts finds word of them at its boundary then, however it was answered.
    pub fn run(self, app: &App, caller: &Caller) -> Result<Value, Failure> {
        let Some(boundary) = caller.boundary() else { return self.answer(app, caller) };
        let (room, effect) = (self.room(), self.command.effect);
        let answer = self.answer(app, caller);
        app.look_for_interrupts(caller, boundary, room, effect);
        answer
    }

    /// A text of its input, before it is read.
    pub fn text(&self, field: &str) -> Option<&str> {
        let (Input::Whole(input) | Input::Args { args: input, .. }) = &self.input;
        input.get(field).and_then(Value::as_str)
    }

    /// The room that it names.
    fn room(&self) -> Option<RoomId> {
        self.text(ROOM).and_then(|room| room.parse().ok())
    }

    fn answer(self, app: &App, caller: &Caller) -> Result<Value, Failure> {
        match self.input {
            Input::Whole(input) => self.command.run(app, caller, Value::Object(input)),
            Input::Args { args, workspace } => {
                // Before a room is looked for: who may not call it is told so, whatever the workspace.
                self.command.check(caller)?;
                let input = match (self.command.subject, workspace) {
                    (Subject::Room, workspace) => with_room(app, caller, args, workspace.as_deref())?,
                    (Subject::Store, None) => args,
                    (Subject::Store, Some(_)) => return Err(invalid("workspace", "it is about no room in particular")),
                };
                self.command
                    .run(app, caller, Value::Object(input))
                    .map_err(|failure| self.command.pointing_to_help(failure))
            }
        }
    }
}

impl Portal {
    /// The commands of `table` that are ops of this portal.
    pub fn commands(&self, table: &'static [Command]) -> impl Iterator<Item = &'static Command> {
        table.iter().filter(move |command| matches!(command.place, Place::Portal(portal) if portal.name == self.name))
    }

    /// What is meant by what this portal was given: a command of `table`, or help.
    pub fn asked(&self, table: &'static [Command], input: Map<String, Value>) -> Result<Asked, Failure> {
        let PortalInput { workspace, op, args, cmd } = parse(Value::Object(input))?;
        let command = match cmd {
            None if op == HELP => return self.help(table, args).map(Asked::Help),
            None if op == CALL => return Err(invalid("cmd", "op `call` needs the full name of a command")),
            None => self.op(table, &op)?,
            Some(cmd) if op == CALL => self.cmd(table, &cmd)?,
            Some(_) => return Err(invalid("cmd", "goes with op `call` only")),
        };
        Ok(Asked::Call(Call { command, input: Input::Args { args: args.unwrap_or_default(), workspace } }))
    }

    /// The op that help is asked about, by either of its names. Help is the same in every workspace.
    fn help(
        &self,
        table: &'static [Command],
        args: Option<Map<String, Value>>,
    ) -> Result<Option<&'static Command>, Failure> {
        let HelpInput { op } = parse(Value::Object(args.unwrap_or_default()))?;
        let Some(op) = op.filter(|op| op != HELP) else { return Ok(None) };
        let named = self.commands(table).find(|command| command.name == op);
        named.map_or_else(|| self.op(table, &op), Ok).map(Some)
    }

    fn op(&self, table: &'static [Command], op: &str) -> Result<&'static Command, Failure> {
        self.commands(table).find(|command| command.op() == Some(op)).ok_or_else(|| {
            let ops: Vec<Value> = self.commands(table).filter_map(Command::op).map(Value::from).collect();
            let message = format!("`{}` has no op `{}`.", self.name, shown(op));
            Failure::new(ErrorCode::UnknownOp, message)
                .with("ops", ops)
                .advising("Use one of `ops`; op `help` says what they do and take.")
        })
    }

    fn cmd(&self, table: &'static [Command], cmd: &str) -> Result<&'static Command, Failure> {
        self.commands(table).find(|command| command.name == cmd).ok_or_else(|| {
            let cmds: Vec<Value> = self.commands(table).map(|command| command.name.into()).collect();
            let message = format!("`{}` is no command of `{}`.", shown(cmd), self.name);
            let next = match table.iter().find(|command| command.name == cmd) {
                Some(foreign) => format!("It belongs to the tool `{}`; here use one of `cmds`.", foreign.tool()),
                None => "Use one of `cmds`.".to_owned(),
            };
            Failure::new(ErrorCode::UnknownCmd, message).with("cmds", cmds).advising(next)
        })
    }
}

impl Command {
    /// Arguments that are wrong or missing can be looked up: the listing of tools has only the most used ones.
    fn pointing_to_help(&self, failure: Failure) -> Failure {
        match self.op() {
            Some(op) if failure.code == ErrorCode::InvalidInput && failure.next == failure.code.remedy() => {
                let next = format!("{} Op `{HELP}` with args {{\"op\":\"{op}\"}} says what it takes.", failure.next);
                failure.advising(next)
            }
            Some(_) | None => failure,
        }
    }
}

/// The arguments with the room they are about.
fn with_room(
    app: &App,
    caller: &Caller,
    mut args: Map<String, Value>,
    workspace: Option<&str>,
) -> Result<Map<String, Value>, Failure> {
    match (args.get(ROOM), workspace) {
        (Some(_), None) => {}
        (Some(given), Some(workspace)) => {
            let room: RoomId = app.room_for(caller, Some(workspace))?;
            if given.as_str() != Some(room.as_str()) {
                return Err(invalid("workspace", &format!("it is {room}, but args.{ROOM} names another room")));
            }
        }
        (None, workspace) => {
            let room = app.room_for(caller, workspace)?;
            args.insert(ROOM.to_owned(), room.as_str().into());
        }
    }
    Ok(args)
}

fn invalid(field: &str, problem: &str) -> Failure {
    Failure::new(ErrorCode::InvalidInput, format!("{field}: {problem}")).with("field", field)
}

/// What was asked, but not a megabyte of it.
fn shown(name: &str) -> String {
    name.chars().take(limits::SHOWN_INPUT_CHARS).collect()
}
