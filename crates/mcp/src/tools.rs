//! Tools: the command table as MCP clients see it.
//!
//! A command is a tool of its own, or one of the ops of a portal, which is one tool for all of them.

use std::sync::{Arc, OnceLock};

use baton_app::{
    Failure,
    table::{Asked, Call, Command, Effect, HELP, Place, Portal, TABLE, Tier},
};
use baton_core::code::ErrorCode;
use rmcp::model::{MetaObject, Tool, ToolAnnotations};
use serde_json::{Map, Value};

use crate::{answer::Form, portal, schema};

/// Tools that end something for good. A takeover is not one of them: it is logged, fenced and open only when nobody
/// answers, and a Codex that runs by itself refuses tools that are marked so.
const DESTRUCTIVE: [&str; 1] = ["close_room"];
/// Tools that may be called again with the same arguments and change nothing more.
const IDEMPOTENT: [&str; 5] = ["join_path", "heartbeat", "leave_path", "reorder_members", "set_room_policy"];

/// The tools that are offered to this client.
pub(crate) struct Tools {
    table: &'static [Command],
    tier: Tier,
    offered: Vec<Offer>,
    listed: OnceLock<Vec<Tool>>,
}

/// What a call of a tool asks for.
pub(crate) enum Request {
    /// To run a command.
    Run(Call),
    /// What is known already.
    Told(Value),
}

/// What is behind a tool's name.
enum Offer {
    Command(&'static Command),
    Portal(&'static Portal),
}

impl Offer {
    const fn name(&self) -> &'static str {
        match self {
            Self::Command(command) => command.tool(),
            Self::Portal(portal) => portal.name,
        }
    }
}

impl Tools {
    /// The tools of `tier` in `table`; the full set contains the daily one. A portal is where its first command is.
    pub(crate) fn of(table: &'static [Command], tier: Tier) -> Self {
        let mut offered: Vec<Offer> = Vec::new();
        for command in table.iter().filter(|command| tier == Tier::Full || command.tier() == Tier::Daily) {
            match command.place {
                Place::Tool(..) => offered.push(Offer::Command(command)),
                Place::Portal(portal) if offered.iter().any(|offer| offer.name() == portal.name) => {}
                Place::Portal(portal) => offered.push(Offer::Portal(portal)),
            }
        }
        Self { table, tier, offered, listed: OnceLock::new() }
    }

    /// Every tool, described. Read when first asked, so that a connection that only calls does not pay for it.
    pub(crate) fn list(&self) -> Vec<Tool> {
        self.listed.get_or_init(|| self.prepared().unwrap_or_else(|| self.describe())).clone()
    }

    /// The description that was made when the program was: to make it again costs a client two milliseconds of its
    /// start. A test holds the two to be the same.
    fn prepared(&self) -> Option<Vec<Tool>> {
        let listing = match self.tier {
            Tier::Daily => include_str!("listing/daily.json"),
            Tier::Full => include_str!("listing/full.json"),
        };
        if std::ptr::eq(self.table, TABLE) { serde_json::from_str(listing).ok() } else { None }
    }

    /// Makes the description from the table.
    pub(crate) fn describe(&self) -> Vec<Tool> {
        let mut repeats = schema::Repeats::default();
        let one = |offer: &Offer| match offer {
            Offer::Command(command) => tool(command, &mut repeats),
            Offer::Portal(portal) => portal::tool(portal, self.table)
                .with_annotations(hints(portal::only_reads(portal, self.table), Ends::Nothing))
                .with_meta(always_loaded()),
        };
        self.offered.iter().map(one).collect()
    }

    /// What is meant by a call of the tool `name`, and in which form to answer it.
    pub(crate) fn call(&self, name: &str, arguments: Map<String, Value>) -> (Form, Result<Request, Failure>) {
        match self.offered.iter().find(|offer| offer.name() == name) {
            Some(Offer::Command(command)) => (Form::Plain, Ok(Request::Run(Call::of(command, arguments)))),
            Some(Offer::Portal(portal)) => self.ask(portal, arguments),
            None => (Form::Plain, Err(self.unknown(name))),
        }
    }

    fn ask(&self, portal: &'static Portal, arguments: Map<String, Value>) -> (Form, Result<Request, Failure>) {
        match portal.asked(self.table, arguments) {
            Ok(Asked::Call(call)) => (Form::Enveloped(call.command.name.into()), Ok(Request::Run(call))),
            Ok(Asked::Help(about)) => {
                let name = format!("{}.{HELP}", portal.name);
                (Form::Enveloped(name.into()), Ok(Request::Told(portal::help(portal, self.table, about))))
            }
            Err(refused) => (Form::Enveloped(portal.name.into()), Err(refused)),
        }
    }

    fn unknown(&self, name: &str) -> Failure {
        let shown: String = name.chars().take(baton_core::limits::SHOWN_INPUT_CHARS).collect();
        let offered: Vec<Value> = self.offered.iter().map(|offer| offer.name().into()).collect();
        let failure =
            Failure::new(ErrorCode::UnknownTool, format!("There is no tool `{shown}`.")).with("tools", offered);
        if self.table.iter().any(|command| command.tool() == name) {
            return failure.advising("This tool is offered by `baton mcp --tools full` only. Use one of `tools`.");
        }
        match self.table.iter().find(|command| is_called(command, name)) {
            Some(command) => failure.advising(self.whereabouts(command)),
            None => failure.advising("Use one of `tools`."),
        }
    }

    /// Where a command is that was called by another name than its tool's.
    fn whereabouts(&self, command: &Command) -> String {
        let mut text = format!("Call the tool `{}`", command.tool());
        if let Some(op) = command.op() {
            text.push_str(&format!(" with op `{op}`"));
        }
        if !self.offered.iter().any(|offer| offer.name() == command.tool()) {
            text.push_str(", which is offered by `baton mcp --tools full` only");
        }
        text.push('.');
        text
    }
}

/// Whether `name` is what others call this command: its own name, also with underlines (`scope_reserve`), and the names
/// of the job contract before there were portals, where all tools began with `tasks_` (`tasks_jobs_create`,
/// `tasks_runner_heartbeat`).
fn is_called(command: &Command, name: &str) -> bool {
    let underlined = |dotted: &str, name: &str| dotted.len() == name.len() && dotted.replace('.', "_") == name;
    let of_two_words = command.op().filter(|op| op.contains('.'));
    command.name == name
        || underlined(command.name, name)
        || name
            .strip_prefix("tasks_")
            .is_some_and(|rest| underlined(command.name, rest) || of_two_words.is_some_and(|op| underlined(op, rest)))
}

/// A tool of its own. The listing has no schema for results: see [`schema::fields`].
fn tool(command: &'static Command, repeats: &mut schema::Repeats) -> Tool {
    let mut input = schema::listed(command.input_schema().as_value());
    repeats.abridge(command.tool(), &mut input);
    Tool::new(command.tool(), command.about, Arc::new(input))
        .with_annotations(annotations(command))
        .with_meta(always_loaded())
}

/// Claude hides a tool behind its tool search unless the tool says this.
fn always_loaded() -> MetaObject {
    MetaObject(Map::from_iter([("anthropic/alwaysLoad".to_owned(), true.into())]))
}

/// What a tool that changes something may end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    Nothing,
    SomethingForGood,
}

fn annotations(command: &Command) -> ToolAnnotations {
    let ends = if DESTRUCTIVE.contains(&command.tool()) { Ends::SomethingForGood } else { Ends::Nothing };
    let hints = hints(command.effect == Effect::Read, ends);
    if IDEMPOTENT.contains(&command.tool()) { hints.idempotent(true) } else { hints }
}

/// A non-interactive Codex refuses tools that are not annotated, and runs read-only ones side by side. Whether a
/// read-only tool destroys something is no question.
fn hints(only_reads: bool, ends: Ends) -> ToolAnnotations {
    let hints = ToolAnnotations::new().read_only(only_reads).open_world(false);
    if only_reads { hints } else { hints.destructive(ends == Ends::SomethingForGood) }
}
