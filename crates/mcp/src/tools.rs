//! Tools: the command table as MCP clients see it.
//!
//! A command is a tool of its own, or one of the ops of a portal, which is one tool for all of them.

use std::sync::{Arc, OnceLock};

use baton_app::{
    Failure,
    table::{CALL, Call, Command, Effect, Place, Portal, TABLE, Tier},
};
use baton_core::code::ErrorCode;
use rmcp::model::{MetaObject, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use crate::schema;

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
            Offer::Portal(portal) => self.portal(portal),
        };
        self.offered.iter().map(one).collect()
    }

    /// A portal as one tool: a line for each op, and a schema that leaves the arguments to the command. It has no
    /// schema for results, which are as different as its commands.
    fn portal(&self, portal: &'static Portal) -> Tool {
        let commands: Vec<_> = portal.commands(self.table).collect();
        let mut description = portal.about.to_owned();
        let mut ops = Vec::new();
        for (command, op) in commands.iter().filter_map(|command| Some((command, command.op()?))) {
            description.push('\n');
            description.push_str(&schema::signature(op, command.input_schema().as_value()));
            ops.push(op);
        }
        ops.push(CALL);
        let properties = json!({
            "workspace": {"type": "string"},
            "op": {"type": "string", "enum": ops},
            "args": {"type": "object"},
            "cmd": {"type": "string"},
        });
        let input = Map::from_iter([
            ("type".to_owned(), "object".into()),
            ("properties".to_owned(), properties),
            ("required".to_owned(), json!(["op"])),
        ]);
        let only_reads = commands.iter().all(|command| command.effect == Effect::Read);
        Tool::new(portal.name, description, Arc::new(input))
            .with_annotations(hints(only_reads).destructive(false))
            .with_meta(always_loaded())
    }

    /// What is meant by a call of the tool `name`.
    pub(crate) fn call(&self, name: &str, arguments: Map<String, Value>) -> Result<Call, Failure> {
        match self.offered.iter().find(|offer| offer.name() == name) {
            Some(Offer::Command(command)) => Ok(Call::of(command, arguments)),
            Some(Offer::Portal(portal)) => portal.call(self.table, arguments),
            None => Err(self.unknown(name)),
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

/// Whether `name` is what others would call this command: `scope.reserve` or `scope_reserve`.
fn is_called(command: &Command, name: &str) -> bool {
    command.name == name || command.name.replacen('.', "_", 1) == name
}

fn tool(command: &'static Command, repeats: &mut schema::Repeats) -> Tool {
    let mut input = schema::compact(command.input_schema().as_value());
    let output = schema::outline(command.output_schema().as_value(), &input);
    repeats.abridge(command.tool(), &mut input);
    Tool::new(command.tool(), command.about, Arc::new(input))
        .with_raw_output_schema(Arc::new(output))
        .with_annotations(annotations(command))
        .with_meta(always_loaded())
}

/// Claude hides a tool behind its tool search unless the tool says this.
fn always_loaded() -> MetaObject {
    MetaObject(Map::from_iter([("anthropic/alwaysLoad".to_owned(), true.into())]))
}

fn annotations(command: &Command) -> ToolAnnotations {
    let hints = hints(command.effect == Effect::Read).destructive(DESTRUCTIVE.contains(&command.tool()));
    if IDEMPOTENT.contains(&command.tool()) { hints.idempotent(true) } else { hints }
}

/// A non-interactive Codex refuses tools that are not annotated, and runs read-only ones side by side.
fn hints(only_reads: bool) -> ToolAnnotations {
    ToolAnnotations::new().read_only(only_reads).open_world(false)
}
