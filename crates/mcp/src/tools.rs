//! Tools: the command table as MCP clients see it.

use std::sync::{Arc, OnceLock};

use baton_app::{
    Failure,
    table::{Command, Effect, TABLE, Tier},
};
use baton_core::code::ErrorCode;
use rmcp::model::{MetaObject, Tool, ToolAnnotations};
use serde_json::{Map, Value};

use crate::schema;

/// Tools that end something for good. A takeover is not one of them: it is logged, fenced and open only when nobody
/// answers, and a Codex that runs by itself refuses tools that are marked so.
const DESTRUCTIVE: [&str; 1] = ["close_room"];
/// Tools that may be called again with the same arguments and change nothing more.
const IDEMPOTENT: [&str; 5] = ["join_path", "heartbeat", "leave_path", "reorder_members", "set_room_policy"];

/// The tools that are offered to this client.
pub(crate) struct Tools {
    commands: Vec<&'static Command>,
    listed: OnceLock<Vec<Tool>>,
}

impl Tools {
    /// The tools of `tier`; the full set contains the daily one.
    pub(crate) fn of(tier: Tier) -> Self {
        let commands = TABLE.iter().filter(|command| tier == Tier::Full || command.tier() == Tier::Daily).collect();
        Self { commands, listed: OnceLock::new() }
    }

    /// Every tool, described. Made when first asked, so that a connection that only calls does not pay for it.
    pub(crate) fn list(&self) -> Vec<Tool> {
        self.listed.get_or_init(|| self.describe()).clone()
    }

    fn describe(&self) -> Vec<Tool> {
        let mut repeats = schema::Repeats::default();
        let one = |command: &&'static Command| {
            let mut input = schema::compact(command.input_schema().as_value());
            repeats.abridge(command.tool(), &mut input);
            Tool::new(command.tool(), command.about, Arc::new(input))
                .with_raw_output_schema(Arc::new(schema::outline(command.output_schema().as_value())))
                .with_annotations(annotations(command))
                .with_meta(always_loaded())
        };
        self.commands.iter().map(one).collect()
    }

    /// The command behind a tool's name.
    pub(crate) fn find(&self, name: &str) -> Result<&'static Command, Failure> {
        self.commands.iter().copied().find(|command| command.tool() == name).ok_or_else(|| self.unknown(name))
    }

    fn unknown(&self, name: &str) -> Failure {
        let shown: String = name.chars().take(baton_core::limits::SHOWN_INPUT_CHARS).collect();
        let offered: Vec<Value> = self.commands.iter().map(|command| command.tool().into()).collect();
        let failure =
            Failure::new(ErrorCode::UnknownTool, format!("There is no tool `{shown}`.")).with("tools", offered);
        if TABLE.iter().any(|command| command.tool() == name) {
            return failure.advising("This tool is offered by `baton mcp --tools full` only. Use one of `tools`.");
        }
        failure.advising("Use one of `tools`.")
    }
}

/// Claude hides a tool behind its tool search unless the tool says this.
fn always_loaded() -> MetaObject {
    MetaObject(Map::from_iter([("anthropic/alwaysLoad".to_owned(), true.into())]))
}

/// A non-interactive Codex refuses tools that are not annotated, and runs read-only ones side by side.
fn annotations(command: &Command) -> ToolAnnotations {
    let hints = ToolAnnotations::new()
        .read_only(command.effect == Effect::Read)
        .destructive(DESTRUCTIVE.contains(&command.tool()))
        .open_world(false);
    if IDEMPOTENT.contains(&command.tool()) { hints.idempotent(true) } else { hints }
}
