//! What every program's dialect answers.

use serde_json::Value;

use super::{HookAnswer, HookCall, HookOutput};

/// How one program talks to its hooks.
pub(crate) trait HookDialect: Sync {
    fn read(&self, input: &Value) -> HookCall;

    fn answer(&self, call: &HookCall, answer: &HookAnswer) -> HookOutput;
}
