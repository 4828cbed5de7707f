//! Claude Code's hooks.

use std::path::Path;

use serde_json::{Map, Value};

use crate::hook::{
    CLAUDE_ANSWER_FIELDS, HookAnswer, HookCall, HookDialect, HookOutput, Tool, claude_answer, claude_call, sample_call,
};

/// Ends an `asyncRewake` hook so that the session goes on with what it says.
const REWAKE_STATUS: u8 = 2;

/// The servers' names that Baton's tools come under: as an entry of its own, and as a plugin's.
const SERVERS: [&str; 2] = ["mcp__baton__", "mcp__plugin_baton_baton__"];

pub(crate) struct Hooks;

impl HookDialect for Hooks {
    fn read(&self, input: &Value) -> HookCall {
        claude_call(input, tool)
    }

    fn answer(&self, call: &HookCall, answer: &HookAnswer) -> HookOutput {
        match answer {
            HookAnswer::Wake(text) => {
                HookOutput { stderr: text.clone(), status: REWAKE_STATUS, ..HookOutput::default() }
            }
            answer => claude_answer(call, answer, None),
        }
    }

    fn sample(&self, cwd: &Path) -> Value {
        sample_call("PreToolUse", "Bash", cwd)
    }

    fn answer_fields(&self) -> &'static [&'static str] {
        CLAUDE_ANSWER_FIELDS
    }
}

fn tool(name: &str, input: &Map<String, Value>) -> Tool {
    let text = |field: &str| input.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    match name {
        "Write" | "Edit" | "MultiEdit" => Tool::Edit(vec![text("file_path")]),
        "NotebookEdit" => Tool::Edit(vec![text("notebook_path")]),
        "Bash" | "Monitor" | "PowerShell" => Tool::Shell(text("command")),
        _ if SERVERS.iter().any(|server| name.starts_with(server)) => Tool::Baton,
        _ => Tool::Other,
    }
}
