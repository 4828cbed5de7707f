//! Gemini CLI's hooks: Claude Code's input, answers of its own.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::hook::{
    CLAUDE_ANSWER_FIELDS, HookAnswer, HookCall, HookDialect, HookEvent, HookOutput, Tool, claude_answer, claude_call,
    sample_call,
};

pub(crate) struct Hooks;

impl HookDialect for Hooks {
    fn read(&self, input: &Value) -> HookCall {
        claude_call(input, tool)
    }

    fn answer(&self, call: &HookCall, answer: &HookAnswer) -> HookOutput {
        match (answer, &call.event) {
            (HookAnswer::Deny(reason), _) => HookOutput::json(&json!({ "decision": "deny", "reason": reason })),
            (HookAnswer::Rewrite(input), _) => HookOutput::json(&json!({
                "hookSpecificOutput": { "hookEventName": call.event_name, "tool_input": input },
            })),
            // Before a tool it has no place for context; the person sees it.
            (HookAnswer::Context(text), HookEvent::BeforeTool(_)) => {
                HookOutput::json(&json!({ "systemMessage": text }))
            }
            (answer, _) => claude_answer(call, answer, None),
        }
    }

    fn sample(&self, cwd: &Path) -> Value {
        sample_call("BeforeTool", "run_shell_command", cwd)
    }

    fn answer_fields(&self) -> &'static [&'static str] {
        CLAUDE_ANSWER_FIELDS
    }
}

/// Whether a command line has it ask nobody before tools run. Its hooks are not told.
pub(crate) fn is_bypassed(argv: &[String]) -> bool {
    let is_yolo = |pair: &[String]| pair[0] == "--approval-mode" && pair[1] == "yolo";
    argv.iter().any(|word| ["--yolo", "-y", "--approval-mode=yolo"].contains(&word.as_str()))
        || argv.windows(2).any(is_yolo)
}

fn tool(name: &str, input: &Map<String, Value>) -> Tool {
    let text = |field: &str| input.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    match name {
        "write_file" | "replace" => Tool::Edit(vec![text("file_path")]),
        "run_shell_command" => Tool::Shell(text("command")),
        _ => Tool::Other,
    }
}
