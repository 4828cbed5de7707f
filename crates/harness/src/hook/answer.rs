//! An answer to a hook, whichever program reads it.

use serde_json::{Map, Value};

/// Answer of a hook.
#[derive(Clone, Debug, PartialEq)]
pub enum HookAnswer {
    /// Nothing: the program goes on.
    Silence,
    /// Text for the model.
    Context(String),
    /// The tool does not run, for this reason.
    Deny(String),
    /// The tool runs with these arguments.
    Rewrite(Map<String, Value>),
    /// The agent does not stop, but goes on with this.
    GoOn(String),
    /// An idle session is woken with this, by a listener that its program started.
    Wake(String),
}

/// A hook's output and exit status. Text on standard error is only read with another status than 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookOutput {
    pub stdout: String,
    pub stderr: String,
    pub status: u8,
}

impl HookOutput {
    pub(crate) fn json(value: &Value) -> Self {
        Self { stdout: value.to_string(), ..Self::default() }
    }
}
