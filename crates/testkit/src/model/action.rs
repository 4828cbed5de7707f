//! Work that every program can do, and the tool that each has for it.
//!
//! The tool is chosen by the names on offer: no two programs have a tool of the same name for different things.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::talk::{Manner, Talk};

/// Something that is done with a program's own tools.
#[derive(Clone, Debug)]
pub(super) enum Action {
    Shell(String),
    WriteFile { path: PathBuf, content: String },
    Edit { path: PathBuf, old: String, new: String },
    Patch(String),
    Subagent { prompt: String },
}

/// A call of one of the program's own tools.
#[derive(Debug)]
pub(super) struct OwnCall {
    pub(super) tool: &'static str,
    pub(super) arguments: Value,
}

/// The calls that an action takes.
#[derive(Debug)]
pub(super) enum Next {
    /// A call that the program demands first: its result is not the step's.
    Preparation(OwnCall),
    Call(OwnCall),
    /// The program has no tool for it.
    None,
}

impl Action {
    /// The next call of the action, after preparations that came to `prepared`.
    pub(super) fn next(&self, talk: &Talk, prepared: &[String]) -> Next {
        match self {
            Self::Shell(command) => first_offered(talk, shell(command)).map_or(Next::None, Next::Call),
            Self::WriteFile { path, content } => {
                if let Some(patch) = patch(talk, &added(path, content)) {
                    return Next::Call(patch);
                }
                let write = first_offered(talk, write(path, content)).map_or(Next::None, Next::Call);
                // claude and opencode overwrite only files that they have read.
                if path.exists() { after_reading(talk, path, prepared, write) } else { write }
            }
            Self::Edit { path, old, new } => {
                if let Some(patch) = patch(talk, &updated(path, old, new)) {
                    return Next::Call(patch);
                }
                let edit = first_offered(talk, edit(path, old, new)).map_or(Next::None, Next::Call);
                after_reading(talk, path, prepared, edit)
            }
            Self::Patch(text) => patch(talk, text).map_or(Next::None, Next::Call),
            Self::Subagent { prompt } => subagent(talk, prompt, prepared),
        }
    }
}

fn call(tool: &'static str, arguments: Value) -> OwnCall {
    OwnCall { tool, arguments }
}

fn first_offered(talk: &Talk, calls: impl IntoIterator<Item = OwnCall>) -> Option<OwnCall> {
    calls.into_iter().find(|call| talk.offers(call.tool))
}

fn after_reading(talk: &Talk, path: &Path, prepared: &[String], then: Next) -> Next {
    let reads = [call("Read", json!({"file_path": path})), call("read", json!({"filePath": path}))];
    match first_offered(talk, reads) {
        Some(read) if prepared.is_empty() => Next::Preparation(read),
        _ => then,
    }
}

fn shell(command: &str) -> [OwnCall; 4] {
    let described = json!({"command": command, "description": "Run a command"});
    [
        call("Bash", described.clone()),
        call("exec_command", json!({"cmd": command})),
        call("run_shell_command", json!({"command": command})),
        call("bash", described),
    ]
}

fn write(path: &Path, content: &str) -> [OwnCall; 3] {
    let arguments = json!({"file_path": path, "content": content});
    [
        call("Write", arguments.clone()),
        call("write_file", arguments),
        call("write", json!({"filePath": path, "content": content})),
    ]
}

fn edit(path: &Path, old: &str, new: &str) -> [OwnCall; 3] {
    let arguments = json!({"file_path": path, "old_string": old, "new_string": new});
    let mut instructed = arguments.clone();
    instructed["instruction"] = json!("Replace the text");
    [
        call("Edit", arguments),
        call("replace", instructed),
        call("edit", json!({"filePath": path, "oldString": old, "newString": new})),
    ]
}

/// A patch, by the tool for it or, where `codex` has its model do so, inside a shell command.
fn patch(talk: &Talk, text: &str) -> Option<OwnCall> {
    if talk.is(Manner::Code) || talk.has_text_tool("apply_patch") {
        return Some(call("apply_patch", json!(text)));
    }
    if talk.offers("apply_patch") {
        return Some(call("apply_patch", json!({"patchText": text})));
    }
    let in_shell = format!("apply_patch <<'END_OF_PATCH'\n{}\nEND_OF_PATCH", text.trim_end());
    talk.offers("exec_command").then(|| call("exec_command", json!({"cmd": in_shell})))
}

fn added(path: &Path, content: &str) -> String {
    format!("*** Begin Patch\n*** Add File: {}\n{}*** End Patch", path.display(), lines('+', content))
}

fn updated(path: &Path, old: &str, new: &str) -> String {
    let (old, new) = (lines('-', old), lines('+', new));
    format!("*** Begin Patch\n*** Update File: {}\n@@\n{old}{new}*** End Patch", path.display())
}

fn lines(mark: char, text: &str) -> String {
    text.lines().map(|line| format!("{mark}{line}\n")).collect()
}

/// `codex` starts a sub-agent and waits for it with two tools; the others do both with one.
fn subagent(talk: &Talk, prompt: &str, prepared: &[String]) -> Next {
    const SPAWN: &str = "multi_agent_v1__spawn_agent";
    const WAIT: &str = "multi_agent_v1__wait_agent";
    /// As long as a test waits for a step.
    const WAIT_MS: u32 = 300_000;
    if talk.offers(SPAWN) {
        let spawned = prepared.first().map(|spawned| serde_json::from_str::<Value>(spawned).unwrap_or_default());
        return match spawned {
            None => Next::Preparation(call(SPAWN, json!({"message": prompt}))),
            Some(agent) => Next::Call(call(WAIT, json!({"targets": [agent["agent_id"]], "timeout_ms": WAIT_MS}))),
        };
    }
    let described = |kind: &str| json!({"description": "Do a part", "prompt": prompt, "subagent_type": kind});
    let mut waited_for = described("general-purpose");
    waited_for["run_in_background"] = json!(false);
    let calls = [
        call("Agent", waited_for),
        call("invoke_agent", json!({"agent_name": "generalist", "prompt": prompt})),
        call("task", described("general")),
    ];
    first_offered(talk, calls).map_or(Next::None, Next::Call)
}
