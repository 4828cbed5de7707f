//! The form of Claude Code's hooks, which Codex took over and Gemini CLI begins with.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::{HookAnswer, HookCall, HookEvent, HookOutput, SessionEnd, SessionSource, Tool, ToolCall};

/// Longest id that is believed: real ones have 36 characters.
const ID_BYTES: usize = 128;

/// A call in this form. `tool` tells what a tool of this name and input does.
pub(crate) fn claude_call(input: &Value, tool: impl Fn(&str, &Map<String, Value>) -> Tool) -> HookCall {
    let text = |field: &str| input.get(field).and_then(Value::as_str);
    let id = |field: &str| text(field).filter(|id| !id.is_empty() && id.len() <= ID_BYTES).map(str::to_owned);
    let event_name = text("hook_event_name").unwrap_or_default();
    let call = || {
        let given = tool_input(input);
        ToolCall {
            id: id("tool_use_id").or_else(|| id("call_id")),
            tool: tool(text("tool_name").unwrap_or_default(), &given),
            input: given,
        }
    };
    // A shell command may name the directory that it runs in: Gemini's has `dir_path`, OpenCode's and Codex's `workdir`.
    let directory = |call: &ToolCall| {
        let given = ["workdir", "dir_path"].iter().find_map(|field| call.input.get(*field).and_then(Value::as_str));
        given.filter(|given| matches!(call.tool, Tool::Shell(_)) && !given.is_empty()).map(PathBuf::from)
    };
    let event = match event_name {
        "SessionStart" => HookEvent::SessionStart(match text("source") {
            Some("clear") => SessionSource::Clear,
            Some("compact") => SessionSource::Compact,
            Some("resume") => SessionSource::Resume,
            _ => SessionSource::Startup,
        }),
        "SessionEnd" => HookEvent::SessionEnd(match text("reason") {
            Some("clear" | "resume") => SessionEnd::Replaced,
            _ => SessionEnd::Exit,
        }),
        "UserPromptSubmit" | "BeforeAgent" => HookEvent::Prompt,
        "PreToolUse" | "BeforeTool" => HookEvent::BeforeTool(call()),
        "PostToolUse" | "AfterTool" => HookEvent::AfterTool(call()),
        "Stop" | "AfterAgent" => HookEvent::Stop,
        "PreCompact" => HookEvent::Compaction,
        "SubagentStart" => HookEvent::SubagentStart,
        "SubagentStop" => HookEvent::SubagentStop,
        _ => HookEvent::Other,
    };
    let named = match &event {
        HookEvent::BeforeTool(call) | HookEvent::AfterTool(call) => directory(call),
        _ => None,
    };
    let cwd = text("cwd").map(PathBuf::from).unwrap_or_default().join(named.unwrap_or_default());
    HookCall {
        event_name: event_name.to_owned(),
        event,
        session: id("session_id").unwrap_or_default(),
        agent: id("agent_id"),
        cwd: Some(cwd).filter(|cwd| cwd.is_absolute()),
        is_bypassed: text("permission_mode") == Some("bypassPermissions"),
    }
}

/// The fields of an answer in this form.
pub(crate) const CLAUDE_ANSWER_FIELDS: &[&str] = &["hookSpecificOutput", "decision", "reason", "systemMessage"];

/// The session and the call of a sample, which no program has.
const SAMPLE_ID: &str = "baton-doctor";

/// A sample call in this form, before a tool that lists files.
pub(crate) fn sample_call(event_name: &str, tool_name: &str, cwd: &Path) -> Value {
    json!({
        "session_id": SAMPLE_ID,
        "cwd": cwd,
        "permission_mode": "default",
        "hook_event_name": event_name,
        "tool_name": tool_name,
        "tool_input": { "command": "ls" },
        "tool_use_id": SAMPLE_ID,
    })
}

/// A tool's arguments.
fn tool_input(input: &Value) -> Map<String, Value> {
    input.get("tool_input").and_then(Value::as_object).cloned().unwrap_or_default()
}

/// An answer in this form. `decided` is what stands beside changed arguments, without which one program ignores them.
pub(crate) fn claude_answer(call: &HookCall, answer: &HookAnswer, decided: Option<&str>) -> HookOutput {
    let specific = |field: &str, value: Value| {
        let mut specific = Map::new();
        specific.insert("hookEventName".to_owned(), call.event_name.clone().into());
        specific.insert(field.to_owned(), value);
        specific
    };
    let output = |specific: Map<String, Value>| HookOutput::json(&json!({ "hookSpecificOutput": specific }));
    match answer {
        HookAnswer::Silence => HookOutput::default(),
        HookAnswer::Context(text) => output(specific("additionalContext", text.as_str().into())),
        HookAnswer::Deny(reason) => {
            let mut denied = specific("permissionDecision", "deny".into());
            denied.insert("permissionDecisionReason".to_owned(), reason.as_str().into());
            output(denied)
        }
        HookAnswer::Rewrite(input) => {
            let mut rewritten = specific("updatedInput", Value::Object(input.clone()));
            rewritten.extend(decided.map(|decided| ("permissionDecision".to_owned(), decided.into())));
            output(rewritten)
        }
        HookAnswer::GoOn(reason) | HookAnswer::Wake(reason) => {
            HookOutput::json(&json!({ "decision": "block", "reason": reason }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_that_a_person_turned_away_from_is_told_from_one_whose_program_ended() {
        let end = |reason: Option<&str>| {
            let input = json!({"hook_event_name": "SessionEnd", "session_id": "s", "reason": reason});
            claude_call(&input, |_, _| Tool::Other).event
        };
        for replaced in ["clear", "resume"] {
            assert_eq!(end(Some(replaced)), HookEvent::SessionEnd(SessionEnd::Replaced), "{replaced}");
        }
        for exit in [Some("prompt_input_exit"), Some("logout"), Some("other"), Some("exit"), None] {
            assert_eq!(end(exit), HookEvent::SessionEnd(SessionEnd::Exit), "{exit:?}");
        }
    }
}
