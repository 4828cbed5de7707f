//! A portal as one tool, and what it says about itself.
//!
//! Every conversation pays for the description, so it is short by rule: the first ops of the portal, in the order of
//! the table, with their arguments, as far as the budget goes; the others by name. The op `help` has it all.

use std::sync::Arc;

use baton_app::table::{Command, Effect, HELP, Portal};
use rmcp::model::Tool;
use serde_json::{Map, Value, json};

use crate::schema;

/// What the signatures in one portal's description may take.
const SIGNATURES_BYTES: usize = 120;

/// The tool. Its schema leaves the arguments to the command, and says nothing of `op: "call"` and `cmd`, which reach
/// no command that `op` does not.
pub(crate) fn tool(portal: &Portal, table: &'static [Command]) -> Tool {
    let properties = json!({"op": {"type": "string"}, "args": {"type": "object"}, "workspace": {"type": "string"}});
    let input = Map::from_iter([
        ("type".to_owned(), "object".into()),
        ("properties".to_owned(), properties),
        ("required".to_owned(), json!(["op"])),
    ]);
    Tool::new(portal.name, description(portal, table), Arc::new(input))
}

/// Whether all that it does is read.
pub(crate) fn only_reads(portal: &Portal, table: &'static [Command]) -> bool {
    portal.commands(table).all(|command| command.effect == Effect::Read)
}

fn description(portal: &Portal, table: &'static [Command]) -> String {
    let mut text = portal.about.to_owned();
    let mut left = SIGNATURES_BYTES;
    let mut named = Vec::new();
    for (command, op) in ops(portal, table) {
        let signature = schema::short_signature(op, command.input_schema().as_value());
        match left.checked_sub(signature.len()) {
            Some(rest) if named.is_empty() => {
                left = rest;
                text.push('\n');
                text.push_str(&signature);
            }
            _ => named.push(op),
        }
    }
    text.push_str("\nhelp(op?)");
    if !named.is_empty() {
        text.push_str("\nmore: ");
        text.push_str(&names(&named));
    }
    text
}

/// The names of ops, with a common beginning written once: `card.create|list|pin`.
fn names(ops: &[&str]) -> String {
    let mut text = String::new();
    let mut group = None;
    for op in ops {
        let (beginning, end) = op.rsplit_once('.').map_or((None, *op), |(beginning, end)| (Some(beginning), end));
        if beginning.is_some() && beginning == group {
            text.push('|');
            text.push_str(end);
        } else {
            text.push_str(if text.is_empty() { "" } else { " " });
            text.push_str(op);
        }
        group = beginning;
    }
    text
}

/// What `op: "help"` answers: every op with all its arguments, or all about one.
pub(crate) fn help(portal: &Portal, table: &'static [Command], about: Option<&Command>) -> Value {
    match about {
        Some(command) => {
            let (input, output) = (command.input_schema(), command.output_schema());
            json!({
                "op": command.op(),
                "about": command.about,
                "args": schema::arguments(input.as_value()),
                "answer": schema::fields(output.as_value()),
            })
        }
        None => {
            let one = |(command, op): (&Command, &str)| json!({"op": schema::signature(op, command.input_schema().as_value()), "about": command.about});
            let ops: Vec<_> = ops(portal, table).map(one).collect();
            let next = format!("Call with op and args; op `{HELP}` with args {{\"op\": …}} has the schema of one.");
            json!({"about": portal.about, "ops": ops, "next": next})
        }
    }
}

fn ops(portal: &Portal, table: &'static [Command]) -> impl Iterator<Item = (&'static Command, &'static str)> {
    portal.commands(table).filter_map(|command| Some((command, command.op()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_a_common_beginning_are_written_once() {
        let ops = ["tail", "card.create", "card.list", "plan.list", "macro.start", "macro.fanout_jobs", "search"];
        assert_eq!(names(&ops), "tail card.create|list plan.list macro.start|fanout_jobs search");
    }
}
