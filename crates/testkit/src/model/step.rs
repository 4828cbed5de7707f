//! What a script is made of.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::Value;

use super::{Gate, Turn, action::Action};

/// One thing the model does when it is asked to go on.
#[derive(Clone, Debug)]
pub struct Step(pub(super) Kind);

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Call { tool: Tool, arguments: Value },
    Act(Action),
    Say(String),
    Answer(Value),
    Fail { status: u16, times: Option<usize> },
    Hold(Gate),
    Decide(Decision),
}

/// Whose tool is meant.
#[derive(Clone, Debug)]
pub(super) enum Tool {
    /// Of the MCP server named `baton`, by the name the server has for it.
    OfBaton(String),
    /// The program's own, by the name the program has for it.
    Own(String),
}

/// A test's own code, which makes a step of what the model sees.
#[derive(Clone)]
pub(super) struct Decision(pub(super) Arc<dyn Fn(&Turn) -> Step + Send + Sync>);

impl Step {
    /// Calls a tool of the MCP server `baton`, whatever the program calls it. Where the program hides it behind a
    /// search for tools, the model searches first; where it wants code that calls the tool, the model writes that.
    pub fn call(tool: &str, arguments: Value) -> Self {
        Self(Kind::Call { tool: Tool::OfBaton(tool.to_owned()), arguments })
    }

    /// Calls one of the program's own tools.
    pub fn call_own(tool: &str, arguments: Value) -> Self {
        Self(Kind::Call { tool: Tool::Own(tool.to_owned()), arguments })
    }

    /// Runs a command in the program's shell.
    pub fn shell(command: &str) -> Self {
        Self(Kind::Act(Action::Shell(command.to_owned())))
    }

    /// Writes a file with the tool that the program has for it; `codex` adds it with a patch.
    pub fn write_file(path: &Path, content: &str) -> Self {
        let (path, content) = (absolute(path), content.to_owned());
        Self(Kind::Act(Action::WriteFile { path, content }))
    }

    /// Replaces text in a file with the tool that the program has for it; `codex` with a patch. The texts are whole
    /// lines, which is all that a patch can replace. A program that edits only files it has read reads it first.
    pub fn edit(path: &Path, old: &str, new: &str) -> Self {
        Self(Kind::Act(Action::Edit { path: absolute(path), old: old.to_owned(), new: new.to_owned() }))
    }

    /// Applies a patch (`*** Begin Patch` …). `claude` and `gemini` have no tool for it, which fails the script;
    /// `codex` has one for models it knows ([`crate::ClientHome::codex_as`]) and takes it as a command from others.
    pub fn patch(text: &str) -> Self {
        Self(Kind::Act(Action::Patch(text.to_owned())))
    }

    /// Starts a sub-agent and waits for its end. Its own script is given with [`super::Model::subagent`].
    pub fn subagent(prompt: &str) -> Self {
        Self(Kind::Act(Action::Subagent { prompt: prompt.to_owned() }))
    }

    /// Says something, which ends the program's turn.
    pub fn say(text: &str) -> Self {
        Self(Kind::Say(text.to_owned()))
    }

    /// Gives the final answer of a run that was started with a schema: as text, or through the tool that the program
    /// has for it.
    pub fn answer(value: Value) -> Self {
        Self(Kind::Answer(value))
    }

    /// Fails with an HTTP status, for ever: the script goes no further.
    pub fn fail(status: u16) -> Self {
        Self(Kind::Fail { status, times: None })
    }

    /// Fails so many requests, then goes on.
    pub fn fail_times(status: u16, times: usize) -> Self {
        Self(Kind::Fail { status, times: Some(times) })
    }

    /// Answers nothing until the gate is open (which it also is when the model is dropped), then goes on.
    pub fn hold(gate: &Gate) -> Self {
        Self(Kind::Hold(gate.clone()))
    }

    /// Lets the test decide, by what the model sees. It is asked once; whoever asks for the step again, because an
    /// answer was lost, is told the same. A panic in it fails the script.
    pub fn decide(decision: impl Fn(&Turn) -> Self + Send + Sync + 'static) -> Self {
        Self(Kind::Decide(Decision(Arc::new(decision))))
    }

    /// Calls a tool of the MCP server `baton` with arguments made of what came back before.
    pub fn call_with(tool: &str, arguments: impl Fn(&Turn) -> Value + Send + Sync + 'static) -> Self {
        let tool = tool.to_owned();
        Self::decide(move |turn| Self::call(&tool, arguments(turn)))
    }

    /// The text that a program keeps in its history when this step has been played.
    pub(super) fn text(&self) -> Option<String> {
        match &self.0 {
            Kind::Say(text) => Some(text.clone()),
            Kind::Answer(value) => Some(value.to_string()),
            Kind::Call { .. } | Kind::Act(_) | Kind::Fail { .. } | Kind::Hold(_) | Kind::Decide(_) => None,
        }
    }
}

/// Programs differ in the directory that a relative path begins in.
fn absolute(path: &Path) -> PathBuf {
    assert!(path.is_absolute(), "{} is to be a whole path", path.display());
    path.to_owned()
}

impl fmt::Debug for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Decision")
    }
}
