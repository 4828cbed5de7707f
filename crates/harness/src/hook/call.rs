//! A hook's call, whichever program makes it.

use std::path::PathBuf;

use serde_json::{Map, Value};

/// A call of a hook.
#[derive(Clone, Debug, PartialEq)]
pub struct HookCall {
    /// The program's name for the event, which answers repeat.
    pub event_name: String,
    pub event: HookEvent,
    /// The program's id of the conversation; empty if it names none.
    pub session: String,
    /// The program's id of the sub-agent that makes the call, where it is one.
    pub agent: Option<String>,
    pub cwd: Option<PathBuf>,
    /// Whether nobody is asked before tools run.
    pub is_bypassed: bool,
}

/// Event that a program tells its hooks.
#[derive(Clone, Debug, PartialEq)]
pub enum HookEvent {
    SessionStart(SessionSource),
    SessionEnd(SessionEnd),
    /// A prompt was submitted.
    Prompt,
    BeforeTool(ToolCall),
    AfterTool(ToolCall),
    /// The agent's turn is over.
    Stop,
    /// The conversation is about to be summarised.
    Compaction,
    SubagentStart,
    SubagentStop,
    /// Nothing that is answered.
    Other,
}

/// How a session came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionSource {
    Startup,
    /// A program goes on with the conversation of one that ended.
    Resume,
    /// The conversation before it was cleared.
    Clear,
    /// Its history was summarised.
    Compact,
}

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEnd {
    /// The program ended, or lost its terminal.
    Exit,
    /// A person turned to another conversation, and the process goes on with that.
    Replaced,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The program's id of the call, the same before and after.
    pub id: Option<String>,
    pub tool: Tool,
    /// The tool's arguments as the program has them.
    pub input: Map<String, Value>,
}

/// A tool, as far as it matters to files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Changes the files at these paths.
    Edit(Vec<String>),
    /// Runs this command, which the input has under `command`.
    Shell(String),
    /// One of Baton's own tools.
    Baton,
    /// Any other.
    Other,
}
