//! What a slice of work answers, and the check that an answer is one.
//!
//! Programs are given [`SCHEMA`], but not all of them hold the model to it, so every answer is checked here. One that
//! does not fit is told why, so that the next slice can do better.

use serde::{Deserialize, Serialize};

use super::Form;

/// The most that each part may hold. Jobs keep less of some; what they cut, they say.
const SUMMARY_CHARS: usize = 20_000;
const MESSAGE_CHARS: usize = 4_000;
const NOTES_MAX: usize = 50;
const REFS_MAX: usize = 32;
const REF_BYTES: usize = 256;

/// The most words in bytes that are taken for an answer.
pub(super) const WORDS_BYTES: usize = baton_core::limits::RELAY_OUTPUT_BYTES;

/// The answer as a JSON schema. All is required and nothing else allowed at every level, as OpenAI's strict mode asks.
pub const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "status": {"type": "string", "enum": ["DONE", "FAILED", "CONTINUE"]},
    "summary": {"type": "string"},
    "refs": {"type": "array", "items": {"type": "string"}},
    "events": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "kind": {"type": "string", "enum": ["progress", "checkpoint", "question", "error"]},
          "message": {"type": "string"},
          "percent": {"type": ["integer", "null"]},
          "refs": {"type": "array", "items": {"type": "string"}}
        },
        "required": ["kind", "message", "percent", "refs"],
        "additionalProperties": false
      }
    }
  },
  "required": ["status", "summary", "refs", "events"],
  "additionalProperties": false
}
"#;

/// What a slice of work came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// Whether the job is done.
    pub status: AnswerStatus,
    /// What was done, found out, or is in the way.
    pub summary: String,
    /// What proves it.
    #[serde(default)]
    pub refs: Vec<String>,
    /// What happened on the way that was not reported already.
    #[serde(default, rename = "events")]
    pub notes: Vec<Note>,
}

/// Whether a job is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum AnswerStatus {
    /// It is done.
    Done,
    /// It cannot be done.
    Failed,
    /// It needs another slice.
    Continue,
}

/// Something that happened on the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// What kind of event it is.
    pub kind: NoteKind,
    /// What happened.
    pub message: String,
    /// How much of the job is done.
    #[serde(default)]
    pub percent: Option<u8>,
    /// What it is about.
    #[serde(default)]
    pub refs: Vec<String>,
}

/// The events an agent may report with its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// It goes on.
    Progress,
    /// A milestone.
    Checkpoint,
    /// It needs a decision.
    Question,
    /// Something went wrong.
    Error,
}

/// Why something is not an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// It is not the JSON that was asked for.
    #[error("the answer is not the JSON object that was asked for: {0}")]
    Shape(String),
    /// Something that must be there is empty.
    #[error("the answer's {0} is empty")]
    Empty(String),
    /// There is too much of something.
    #[error("the answer's {what} has {found}; at most {most} are taken")]
    TooMuch {
        /// Which part.
        what: String,
        /// How much there is.
        found: usize,
        /// How much there may be.
        most: usize,
    },
    /// The progress is no percentage.
    #[error("the answer's {what} is {found}; it is 0 to 100, or null")]
    Percent {
        /// Which part.
        what: String,
        /// What it says.
        found: u8,
    },
}

impl Answer {
    /// Reads an answer in the form that was asked for, and checks it.
    pub(super) fn read(form: Form, text: &str) -> Result<Self, Misfit> {
        match form {
            Form::Answer => Self::parse(text),
            Form::Words | Form::Notes => Self::in_words(text),
        }
    }

    /// An answer that is words and nothing else.
    pub(super) fn in_words(words: &str) -> Result<Self, Misfit> {
        let words = words.trim();
        if words.is_empty() {
            return Err(Misfit::Empty("text".to_owned()));
        }
        at_most("text in bytes", words.len(), WORDS_BYTES)?;
        Ok(Self { status: AnswerStatus::Done, summary: words.to_owned(), refs: Vec::new(), notes: Vec::new() })
    }

    /// Reads an answer that is the object that was asked for, and checks it.
    pub fn parse(text: &str) -> Result<Self, Misfit> {
        let answer: Self = serde_json::from_str(text.trim()).map_err(|error| Misfit::Shape(error.to_string()))?;
        answer.checked()
    }

    /// The same for JSON that was parsed already.
    pub fn of_json(value: serde_json::Value) -> Result<Self, Misfit> {
        let answer: Self = serde_json::from_value(value).map_err(|error| Misfit::Shape(error.to_string()))?;
        answer.checked()
    }

    fn checked(self) -> Result<Self, Misfit> {
        text("summary", &self.summary, SUMMARY_CHARS)?;
        refs("refs", &self.refs)?;
        at_most("events", self.notes.len(), NOTES_MAX)?;
        for (index, note) in self.notes.iter().enumerate() {
            let name = |part: &str| format!("events[{index}].{part}");
            text(&name("message"), &note.message, MESSAGE_CHARS)?;
            refs(&name("refs"), &note.refs)?;
            if let Some(found) = note.percent.filter(|percent| *percent > 100) {
                return Err(Misfit::Percent { what: name("percent"), found });
            }
        }
        Ok(self)
    }
}

fn text(what: &str, text: &str, most: usize) -> Result<(), Misfit> {
    if text.trim().is_empty() {
        return Err(Misfit::Empty(what.to_owned()));
    }
    at_most(&format!("{what} in characters"), text.chars().count(), most)
}

fn refs(what: &str, refs: &[String]) -> Result<(), Misfit> {
    at_most(what, refs.len(), REFS_MAX)?;
    for (index, reference) in refs.iter().enumerate() {
        if reference.trim().is_empty() {
            return Err(Misfit::Empty(format!("{what}[{index}]")));
        }
        at_most(&format!("{what}[{index}] in bytes"), reference.len(), REF_BYTES)?;
    }
    Ok(())
}

fn at_most(what: &str, found: usize, most: usize) -> Result<(), Misfit> {
    if found > most {
        return Err(Misfit::TooMuch { what: what.to_owned(), found, most });
    }
    Ok(())
}
