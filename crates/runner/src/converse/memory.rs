//! What was said so far, for a program that cannot go on with a conversation of its own: one that keeps none, one that was
//! lost, and one on another machine.

use std::collections::VecDeque;

use baton_app::{Failure, bus::Record};
use baton_core::ids::Seq;
use serde_json::Value;

use super::line::Line;

/// How much is remembered; of more, the last.
const MEMORY_BYTES: usize = 32 * 1024;

/// Lines of what was said, oldest first.
#[derive(Debug, Default)]
pub(super) struct Memory {
    lines: VecDeque<String>,
    bytes: usize,
    is_cut: bool,
}

impl Memory {
    /// What the log has of the job's own conversations before a place, since it last began a fresh one.
    pub(super) fn recall(line: &Line, before: Seq) -> Result<Self, Failure> {
        let (mut memory, mut place) = (Self::default(), Some(before));
        while let Some(before) = place.take() {
            let (records, next) = line.before(before)?;
            for record in &records {
                if begins_anew(record, line) || memory.is_cut {
                    return Ok(memory);
                }
                if let Some(said) = told(record, line) {
                    memory.put_before(said);
                }
            }
            place = next;
        }
        Ok(memory)
    }

    /// Adds what was said last.
    pub(super) fn add(&mut self, line: String) {
        self.bytes += line.len();
        self.lines.push_back(line);
        while self.bytes > MEMORY_BYTES && self.lines.len() > 1 {
            self.bytes -= self.lines.pop_front().map_or(0, |line| line.len());
            self.is_cut = true;
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Whether there is nothing to remember.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// All of it as text.
    pub(super) fn text(&self) -> String {
        let cut = self.is_cut.then(|| "[what was said before that is left out]".to_owned());
        cut.iter().chain(&self.lines).cloned().collect::<Vec<_>>().join("\n")
    }

    fn put_before(&mut self, line: String) {
        if self.bytes + line.len() > MEMORY_BYTES && !self.lines.is_empty() {
            self.is_cut = true;
            return;
        }
        self.bytes += line.len();
        self.lines.push_front(line);
    }
}

/// Whether it is the result of a `new` that the job's agent obeyed.
fn begins_anew(record: &Record, line: &Line) -> bool {
    record.src == line.agent && record.kind == "action.result" && !record.payload["data"]["new_context_id"].is_null()
}

/// A line for what concerns the job's agent.
fn told(record: &Record, line: &Line) -> Option<String> {
    let text = |key: &str| record.payload[key].as_str();
    let to_it = record.dst.as_ref() == Some(&line.agent);
    match record.kind.as_str() {
        "message.created" if record.src == line.agent => {
            let to = record.dst.as_ref().map_or("everybody", |dst| dst.as_str());
            Some(format!("You to {to}: {}", text("text")?))
        }
        "message.created" if to_it => Some(format!("{} to you: {}", text("sender_name")?, text("text")?)),
        "action.result" if to_it && matches!(text("status"), Some("error" | "rejected")) => {
            let why = record.payload.get("detail").and_then(Value::as_str).unwrap_or("no reason was given");
            Some(format!("{}: {}: {why}", record.src, text("status")?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_too_much_the_last_is_remembered_and_that_there_was_more() {
        let mut memory = Memory::default();
        assert!(memory.is_empty());
        memory.add("first".to_owned());
        memory.add("x".repeat(MEMORY_BYTES));
        memory.add("last".to_owned());
        assert_eq!(memory.text(), "[what was said before that is left out]\nlast");
        memory.clear();
        assert_eq!(memory.text(), "");
    }
}
