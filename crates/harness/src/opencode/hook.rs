//! OpenCode's hooks: JavaScript in its process, which asks Baton in the form that Baton's plugin has for it.

use std::path::Path;

use baton_core::guard::patch_targets;
use serde_json::{Map, Value, json};

use crate::hook::{HookAnswer, HookCall, HookDialect, HookOutput, Tool, claude_call, sample_call};

pub(crate) struct Hooks;

impl HookDialect for Hooks {
    fn read(&self, input: &Value) -> HookCall {
        // It asks nobody unless it is told to; sub-agents are sessions of their own, which name the one they work for.
        let parent = input.get("parent_session_id").and_then(Value::as_str).filter(|parent| !parent.is_empty());
        let call = claude_call(input, tool);
        let is_bypassed = input.get("asks").and_then(Value::as_bool) != Some(true);
        match parent {
            Some(parent) => HookCall { agent: Some(call.session), session: parent.to_owned(), is_bypassed, ..call },
            None => HookCall { is_bypassed, ..call },
        }
    }

    fn answer(&self, _call: &HookCall, answer: &HookAnswer) -> HookOutput {
        let said = match answer {
            HookAnswer::Silence => return HookOutput::default(),
            HookAnswer::Context(text) => json!({ "context": text }),
            HookAnswer::Deny(reason) => json!({ "decision": "deny", "reason": reason }),
            HookAnswer::Rewrite(input) => json!({ "tool_input": input }),
            HookAnswer::GoOn(text) | HookAnswer::Wake(text) => json!({ "wake": text }),
        };
        HookOutput::json(&said)
    }

    fn sample(&self, cwd: &Path) -> Value {
        let mut call = sample_call("PreToolUse", "bash", cwd);
        // A person is asked about it, so the command is not rewritten.
        call["asks"] = true.into();
        call
    }

    fn answer_fields(&self) -> &'static [&'static str] {
        &["context", "decision", "reason", "tool_input", "wake"]
    }
}

fn tool(name: &str, input: &Map<String, Value>) -> Tool {
    let text = |field: &str| input.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    match name {
        "write" | "edit" | "multiedit" => Tool::Edit(vec![text("filePath")]),
        "apply_patch" | "patch" => Tool::Edit(patch_targets(&text("patchText"))),
        "bash" => Tool::Shell(text("command")),
        _ if name.starts_with("baton_") => Tool::Baton,
        _ => Tool::Other,
    }
}
