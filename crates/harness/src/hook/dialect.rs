//! Answers in every program's dialect.

use std::path::Path;

use serde_json::Value;

use super::{HookAnswer, HookCall, HookOutput};

/// How one program talks to its hooks.
pub(crate) trait HookDialect: Sync {
    fn read(&self, input: &Value) -> HookCall;

    fn answer(&self, call: &HookCall, answer: &HookAnswer) -> HookOutput;

    /// A call before a shell command that reads, in a session that nobody has.
    fn sample(&self, cwd: &Path) -> Value;

    /// The fields of its answers.
    fn answer_fields(&self) -> &'static [&'static str];
}
