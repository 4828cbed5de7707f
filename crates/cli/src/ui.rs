//! The only place that prints. Data goes to standard output, everything else to standard error.
//!
//! Text that came from agents is data: control characters and bidirectional overrides are taken out before a
//! terminal sees them.

mod screen;

use std::{
    io::{self, BufRead, IsTerminal, Write},
    process::ExitCode,
};

use baton_app::{Envelope, Failure};
use baton_core::text::is_deceptive;
use serde::Serialize;
use serde_json::Value;

use crate::{commands::surface::in_words, exit::Exit};

pub(crate) use screen::Screen;

/// Where a command shows its answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ui {
    json: bool,
    command: &'static str,
}

impl Ui {
    pub(crate) fn new(json: bool, command: &'static str) -> Self {
        Self { json, command }
    }

    /// Shows an answer: as JSON for programs, or as `text` for people.
    pub(crate) fn answer(&self, data: &impl Serialize, text: impl FnOnce() -> String) -> ExitCode {
        self.answer_with(Exit::Done, data, text)
    }

    /// Shows an answer that is not simply "done".
    pub(crate) fn answer_with(&self, exit: Exit, data: &impl Serialize, text: impl FnOnce() -> String) -> ExitCode {
        if self.json {
            let data = serde_json::to_value(data).unwrap_or(Value::Null);
            envelope(&Envelope { ok: exit.is_answer(), ..Envelope::answered(self.command, data) });
        } else {
            print(&text());
        }
        exit.into()
    }

    /// Shows a file: to the byte where a program reads it, and without what could move the cursor where a person does.
    pub(crate) fn bytes(&self, content: &[u8]) -> ExitCode {
        let mut out = io::stdout().lock();
        let cleaned;
        let shown = if out.is_terminal() {
            cleaned = clean(&String::from_utf8_lossy(content));
            cleaned.as_bytes()
        } else {
            content
        };
        // A reader that has gone away is not an error.
        let _ = out.write_all(shown).and_then(|()| out.flush());
        Exit::Done.into()
    }

    /// Shows a part of an answer that has several, each as an answer of its own. Whoever reads may have gone.
    pub(crate) fn part(&self, data: &impl Serialize, text: impl FnOnce() -> String) -> io::Result<()> {
        if self.json {
            let data = serde_json::to_value(data).unwrap_or(Value::Null);
            return try_print(&enveloped(&Envelope::answered(self.command, data)));
        }
        try_print(&text())
    }

    /// Shows one of many of the same sort: for programs an object in a line of its own, with no envelope around it.
    pub(crate) fn line(&self, data: &impl Serialize, text: impl FnOnce() -> String) -> io::Result<()> {
        if self.json {
            return try_print(&format!("{}\n", serde_json::to_string(data).map_err(io::Error::other)?));
        }
        try_print(&text())
    }

    /// Whether a program reads the answer.
    pub(crate) fn is_for_programs(&self) -> bool {
        self.json
    }

    /// Shows a "no", with the next step.
    pub(crate) fn failure(&self, failure: &Failure) -> ExitCode {
        if self.json {
            failed_envelope(self.command, failure);
        } else {
            let mut text = format!("{}: {}\n", failure.code, clean(&failure.message));
            for (key, value) in failure.details.iter().filter(|(_, value)| !is_empty(value)) {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                text.push_str(&format!("  {key}: {}\n", clean(&value)));
            }
            text.push_str(&format!("  next: {}\n", clean(&in_words(&failure.next))));
            complain(&text);
        }
        Exit::of(failure.code).into()
    }

    /// Shows a "no" that a person can be told better than by a list of its facts.
    pub(crate) fn failure_as(&self, failure: &Failure, text: impl FnOnce() -> String) -> ExitCode {
        if self.json {
            failed_envelope(self.command, failure);
        } else {
            complain(&text());
        }
        Exit::of(failure.code).into()
    }

    /// Says what a person should know though all went well. A program finds it in the answer.
    pub(crate) fn warn(&self, text: &str) {
        if !self.json {
            complain(&format!("warning: {text}\n"));
        }
    }

    /// Whether a person can be asked: they see the question, and their answer arrives.
    pub(crate) fn can_ask(&self) -> bool {
        !self.json && is_interactive() && is_watched()
    }

    /// Asks a person, and reads one line. There is none at the end of the input.
    pub(crate) fn ask(&self, question: &str) -> Option<String> {
        complain(question);
        let mut line = String::new();
        match io::stdin().lock().read_line(&mut line) {
            Ok(0) | Err(_) => {
                complain("\n");
                None
            }
            Ok(_) => Some(line.trim().to_owned()),
        }
    }

    /// Says how far something is: at a terminal in one line that is written over, else in a line of its own.
    pub(crate) fn progress(&self, line: &str) {
        if !self.json {
            complain(&if is_watched() { format!("{START_OF_LINE}{line}") } else { format!("{line}\n") });
        }
    }

    /// Makes room for what comes after the last word on progress.
    pub(crate) fn progress_ends(&self) {
        if !self.json && is_watched() {
            complain(START_OF_LINE);
        }
    }

    /// Tells a story as it happens, unless a program is reading.
    pub(crate) fn narrate(&self, text: &str) {
        if !self.json {
            print(&clean(text));
        }
    }
}

/// Tells a program of a "no" to what it called `command`.
pub(crate) fn failed_envelope(command: &str, failure: &Failure) {
    let failure = Failure { next: in_words(&failure.next), ..failure.clone() };
    envelope(&Envelope::refused(command, &failure));
}

fn envelope(envelope: &Envelope<'_>) {
    print(&enveloped(envelope));
}

/// An envelope as a line. Every field is there, so that a script finds each.
fn enveloped(envelope: &Envelope<'_>) -> String {
    format!("{}\n", serde_json::json!(envelope))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

/// Writes to standard output. A reader that has gone away is not an error.
pub(crate) fn print(text: &str) {
    let _ = try_print(text);
}

/// Writes to standard output, for one reader who must have it.
pub(crate) fn try_print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush())
}

/// Writes to standard error.
pub(crate) fn complain(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Back to the start of the line, and empties it.
const START_OF_LINE: &str = "\r\u{1b}[K";

/// Whether standard error is shown as it is written, and only there.
pub(crate) fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// Whether a person sits at the other end.
pub(crate) fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Prints a hook's answer as the program reads it. A program that has gone away reads nothing, which is not an error.
pub(crate) fn hook_output(stdout: &str, stderr: &str) {
    let _ = try_print(stdout);
    if !stderr.is_empty() {
        complain(stderr);
    }
}

/// `text` without what could move the cursor, hide or reorder what is shown. Line breaks and tabs stay.
pub(crate) fn clean(text: &str) -> String {
    text.chars().filter(|c| matches!(c, '\n' | '\t') || !(c.is_control() || is_deceptive(*c))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_agent_wrote_cannot_move_the_cursor_or_turn_the_text_round() {
        assert_eq!(clean("a\u{1b}[2Jb\u{202e}c\r\nd\te\u{2028}f"), "a[2Jbc\nd\tef");
    }
}
