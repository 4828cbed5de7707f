//! Hooks: the calls that an agent program makes before and after what it does, in words that all programs share.
//!
//! [`Harness::read_hook`] reads a program's JSON, [`Harness::answer_hook`] writes an answer in its dialect. What is said between
//! the two is not decided here. A dialect is one file in its program's directory.
//!
//! What must stay true: whatever comes in, reading does not fail; a call that is not understood is [`HookEvent::Other`] and gets
//! no answer, which lets the program go on.

mod answer;
mod call;
mod common;
mod dialect;

pub use answer::{HookAnswer, HookOutput};
pub use call::{HookCall, HookEvent, SessionSource, Tool, ToolCall};
pub(crate) use common::{claude_answer, claude_call};
pub(crate) use dialect::HookDialect;

use serde_json::Value;

use crate::{Harness, gemini};

impl Harness {
    /// What a hook's input says.
    pub fn read_hook(self, input: &Value) -> HookCall {
        self.dialect().read(input)
    }

    /// Whether a program was started so that nobody is asked before tools run, where its hooks are not told.
    pub fn is_bypassed(self, command_line: &[String]) -> bool {
        match self {
            Self::Gemini => gemini::is_bypassed(command_line),
            Self::ClaudeCode | Self::Codex | Self::OpenCode => false,
        }
    }

    /// An answer as the program reads it.
    pub fn answer_hook(self, call: &HookCall, answer: &HookAnswer) -> HookOutput {
        self.dialect().answer(call, answer)
    }
}
