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
pub use call::{HookCall, HookEvent, SessionEnd, SessionSource, Tool, ToolCall};
pub(crate) use common::{CLAUDE_ANSWER_FIELDS, claude_answer, claude_call, sample_call};
pub(crate) use dialect::HookDialect;

use std::path::Path;

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

    /// A call to try its hooks with: harmless, from a session that nobody has, in `cwd`.
    pub fn sample_hook(self, cwd: &Path) -> Value {
        self.dialect().sample(cwd)
    }

    /// Whether the program would understand this as an answer.
    pub fn is_hook_answer(self, answer: &Value) -> bool {
        let is_known = |field: &String| self.dialect().answer_fields().contains(&field.as_str());
        answer.as_object().is_some_and(|answer| answer.keys().all(is_known))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    #[test]
    fn a_sample_is_a_command_that_reads_before_it_runs() {
        for harness in Harness::ALL {
            let call = harness.read_hook(&harness.sample_hook(Path::new("/nowhere")));
            assert_eq!(call.cwd.as_deref(), Some(Path::new("/nowhere")), "{harness}");
            assert!(!call.session.is_empty() && !call.is_bypassed, "{harness}: {call:?}");
            let HookEvent::BeforeTool(ToolCall { tool: Tool::Shell(command), .. }) = call.event else {
                panic!("{harness}: {:?}", call.event);
            };
            assert_eq!(baton_core::guard::read_shell(&command).effect, baton_core::guard::ShellEffect::Reads);
        }
    }

    #[test]
    fn every_answer_is_known_as_one_and_nothing_else_is() {
        let text = || "x".to_owned();
        let answers = [
            HookAnswer::Context(text()),
            HookAnswer::Deny(text()),
            HookAnswer::Rewrite(Map::new()),
            HookAnswer::GoOn(text()),
        ];
        for harness in Harness::ALL {
            let call = harness.read_hook(&harness.sample_hook(Path::new("/nowhere")));
            for answer in &answers {
                let output = harness.answer_hook(&call, answer).stdout;
                assert!(harness.is_hook_answer(&serde_json::from_str(&output).unwrap()), "{harness}: {output}");
            }
            for other in [json!([]), json!("text"), json!({ "ok": true })] {
                assert!(!harness.is_hook_answer(&other), "{harness}: {other}");
            }
        }
    }
}
