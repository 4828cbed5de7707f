//! Codex's hooks: Claude Code's form, with patches as commands.

use std::path::Path;

use baton_core::guard::patch_targets;
use serde_json::{Map, Value};

use crate::hook::{
    CLAUDE_ANSWER_FIELDS, HookAnswer, HookCall, HookDialect, HookOutput, Tool, claude_answer, claude_call, sample_call,
};

pub(crate) struct Hooks;

impl HookDialect for Hooks {
    fn read(&self, input: &Value) -> HookCall {
        claude_call(input, tool)
    }

    fn answer(&self, call: &HookCall, answer: &HookAnswer) -> HookOutput {
        // It ignores changed arguments that nobody decided on.
        claude_answer(call, answer, Some("allow"))
    }

    fn sample(&self, cwd: &Path) -> Value {
        sample_call("PreToolUse", "Bash", cwd)
    }

    fn answer_fields(&self) -> &'static [&'static str] {
        CLAUDE_ANSWER_FIELDS
    }
}

fn tool(name: &str, input: &Map<String, Value>) -> Tool {
    let command = input.get("command").and_then(Value::as_str).unwrap_or_default();
    match name {
        "apply_patch" => Tool::Edit(patch_targets(command)),
        "Bash" => Tool::Shell(command.to_owned()),
        // Its calls over MCP name their own conversation.
        _ => Tool::Other,
    }
}
