//! `baton bus submit`

use std::{path::PathBuf, process::ExitCode, time::Duration};

use baton_app::{
    Failure,
    clock::fresh_word,
    commands::bus::{ActionInput, Submit, SubmitInput, SubmitResult},
    table::Command,
};
use baton_core::{
    bus::{BusId, Control},
    code::ErrorCode,
    ids::RoomId,
    limits,
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{group::Group, session::SessionArgs, thread::ThreadArgs};
use crate::{context::Context, parse, patience::parse_seconds, render, select::KeyArgs, text::Text, ui::Ui};

/// What a message says.
const MESSAGE: Text = Text::of("text", limits::MESSAGE_BYTES, ErrorCode::InvalidInput);

/// A whole submission. Every action may say as much as a message can, and has a few fields besides.
const SUBMISSION: Text = Text::of("file", limits::BUS_ACTIONS * 2 * limits::MESSAGE_BYTES, ErrorCode::InvalidInput);

/// The fields of a submission that name its session.
const SESSION_FIELDS: [&str; 3] = ["room_id", "session", "session_id"];

/// Submit ordered work: a message, a control command, or both, or a file of actions
///
/// All of it is submitted or nothing. Each target takes its actions in the order in which they were submitted, and reports on each:
/// accepted, queued or blocked, and in the end once completed, rejected or error. With --control and a text, the command comes
/// first.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  baton bus submit --to worker \"Review src/net\" --wait
  baton bus submit --to worker --control new \"Start over: read the plan\"
  baton bus submit --to worker --control review --args \"only the error paths\"
  baton bus submit --file actions.json

A file has what the protocol calls the payload of action.submit:
  {\"group_id\": \"g1\", \"actions\": [
    {\"type\": \"control\", \"dst\": \"worker\", \"action_id\": \"g1.0\", \"action_index\": 0, \"command\": \"new\"},
    {\"type\": \"message\", \"dst\": \"worker\", \"action_id\": \"g1.1\", \"action_index\": 1, \"kind\": \"user\", \"text\": \"…\"}]}")]
pub(in crate::commands) struct SubmitArgs {
    /// What to tell; `-` is standard input
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    text: Option<String>,
    /// For whom: id or name of an agent; several times for several
    #[arg(long, value_name = "AGENT", required_unless_present = "file")]
    to: Vec<String>,
    /// A control command
    #[arg(long, value_name = "COMMAND", value_parser = parse::one_of(&Control::ALL, Control::as_str))]
    control: Option<Control>,
    /// Instructions for a review
    #[arg(long, value_name = "TEXT", requires = "control", allow_hyphen_values = true)]
    args: Option<String>,
    /// The action that the text answers, which makes it a reply
    #[arg(long, value_name = "ACTION", requires = "text")]
    reply_to: Option<BusId>,
    /// The whole submission, as JSON; `-` is standard input
    #[arg(long, short, value_name = "FILE", conflicts_with_all = ["text", "to", "control", "reply_to", "group", "context", "parent", "task"])]
    file: Option<PathBuf>,
    /// What the actions belong to [default: a name that is made]
    #[arg(long, value_name = "ID")]
    group: Option<BusId>,
    /// The task [default: the conversation's]
    #[arg(long, value_name = "ID")]
    task: Option<BusId>,
    #[command(flatten)]
    thread: ThreadArgs,
    /// Wait until all of the group has ended, and tell how: 0 all completed, 15 one rejected or in error, 10 the time is up
    #[arg(long, short)]
    wait: bool,
    /// Wait for at most this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, requires = "wait")]
    timeout: Option<Duration>,
    #[command(flatten)]
    session: SessionArgs,
    #[command(flatten)]
    key: KeyArgs,
}

/// What was submitted, and what came of it.
#[derive(Serialize)]
struct Waited<'a> {
    #[serde(flatten)]
    submitted: &'a SubmitResult,
    results: &'a Group,
}

impl SubmitArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let (wait, timeout, again) = (self.wait, self.timeout, self.session.again());
        let submitted = match &self.file {
            Some(file) => {
                let payload = payload(&SUBMISSION.of_file(file)?)?;
                self.submit_payload(context, payload)?
            }
            None => {
                let room_id = self.session.find_again(context, &self.key)?;
                context.run::<Submit>(self.input(room_id)?)?
            }
        };
        if !wait {
            return Ok(ui.answer(&submitted, || {
                let group = &submitted.group_id;
                format!("{}next: baton bus wait {group}{again}\n", render::submitted_page(&submitted))
            }));
        }
        let results = Group::wait(context, submitted.room_id.clone(), submitted.group_id.clone(), timeout)?;
        let waited = Waited { submitted: &submitted, results: &results };
        Ok(ui.answer_with(results.exit(), &waited, || results.text(&again)))
    }

    /// Submits what a file has, in the session that it names or that is meant.
    fn submit_payload(&self, context: &Context, mut payload: Map<String, Value>) -> Result<SubmitResult, Failure> {
        match SESSION_FIELDS.iter().find(|field| payload.contains_key(**field)) {
            Some(_) if self.session.is_bare() => {}
            Some(field) => return Err(invalid("session", &format!("is said twice: the file has a {field}"))),
            None => {
                let room_id = self.session.find_again(context, &self.key)?;
                payload.insert("room_id".to_owned(), room_id.to_string().into());
            }
        }
        if let Some(key) = &self.key.key
            && payload.insert("idempotency_key".to_owned(), key.as_str().into()).is_some()
        {
            return Err(invalid("idempotency_key", "is said twice: the file has one"));
        }
        let command = Command::of::<Submit>();
        let answer = command.run(&context.app, &context.caller, Value::Object(payload))?;
        serde_json::from_value(answer).map_err(|error| Failure::new(ErrorCode::Internal, format!("{error}.")))
    }

    fn input(self, room_id: RoomId) -> Result<SubmitInput, Failure> {
        let text = self.text.map(|text| MESSAGE.given(text)).transpose()?;
        let own = own_name(self.key.key.as_deref())?;
        let mut actions = Vec::new();
        for dst in &self.to {
            if let Some(command) = self.control {
                let (command, args) = (Some(command.as_str().to_owned()), self.args.clone());
                let sort = "control".to_owned();
                actions.push(ActionInput { sort, command, args, ..blank(dst, &own, actions.len())? });
            }
            if let Some(text) = &text {
                let kind = if self.reply_to.is_some() { "reply" } else { "user" };
                let (kind, text) = (Some(kind.to_owned()), Some(text.clone()));
                let reply_to_action_id = self.reply_to.clone();
                actions.push(ActionInput { kind, text, reply_to_action_id, ..blank(dst, &own, actions.len())? });
            }
        }
        if actions.is_empty() {
            return Err(invalid("text", "is missing: say something, or give --control or --file"));
        }
        Ok(SubmitInput {
            room_id,
            group_id: self.group.unwrap_or(own),
            actions,
            context: self.thread.read(),
            task_id: self.task,
            idempotency_key: self.key.key,
        })
    }
}

/// A name for the group, which its actions' names begin with. A repeated call must say the same, names and all, so its
/// key is the name.
fn own_name(key: Option<&str>) -> Result<BusId, Failure> {
    match key {
        Some(key) => {
            key.parse().map_err(|why| invalid("idempotency_key", &format!("names the actions, too, so it {why}")))
        }
        None => format!("g_{}", fresh_word()?).parse().map_err(|why: String| invalid("group", &why)),
    }
}

/// An action that says nothing yet.
fn blank(dst: &str, own: &BusId, place: usize) -> Result<ActionInput, Failure> {
    Ok(ActionInput {
        sort: "message".to_owned(),
        dst: dst.to_owned(),
        action_id: format!("{own}.{place}").parse().map_err(|why: String| invalid("idempotency_key", &why))?,
        action_index: u32::try_from(place).map_err(|_| invalid("to", "are too many"))?,
        kind: None,
        text: None,
        reply_to_action_id: None,
        plan: None,
        command: None,
        args: None,
    })
}

/// The submission that a file has.
fn payload(text: &str) -> Result<Map<String, Value>, Failure> {
    match serde_json::from_str(text) {
        Ok(Value::Object(payload)) => Ok(payload),
        Ok(_) => Err(invalid("file", "must have a JSON object with group_id and actions")),
        Err(error) => Err(invalid("file", &format!("is not JSON: {error}"))),
    }
}

fn invalid(field: &str, why: &str) -> Failure {
    Failure::new(ErrorCode::InvalidInput, format!("{field} {why}.")).with("field", field)
}
