//! Reading a program's stream.

use std::fmt;

use super::{Answer, Cause, Seen};
use crate::process::{Exit, Line};

/// Reads what one program prints in one slice.
pub trait Reading: Send {
    /// Takes a line and hands on what it means.
    fn line(&mut self, line: &Line, see: &mut dyn FnMut(Seen));

    /// What the program answered, now that it has ended.
    fn answer(&mut self, exit: &Exit) -> Result<Answer, Failed>;

    /// How many lines meant nothing to us.
    fn ignored_lines(&self) -> u64;
}

/// Why a slice has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The reason, in a sentence.
    pub why: String,
    /// The end of what it printed to standard error, or of whatever else tells more.
    pub tail: String,
    /// Whether the conversation can be gone on with.
    pub conversation: Conversation,
    /// Whose fault it is.
    pub cause: Cause,
}

/// What is left of a conversation whose slice failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversation {
    /// It came to an end as it should, only that what was said last is no answer: it can be asked again.
    Sound,
    /// Nobody knows.
    Doubtful,
}

impl Failed {
    pub(super) fn new(why: impl Into<String>, exit: &Exit, cause: Cause) -> Self {
        Self { why: why.into(), tail: exit.stderr.to_string(), conversation: Conversation::Doubtful, cause }
    }

    /// The program said something at the end that is no answer.
    pub(super) fn misfit(why: impl fmt::Display, said: impl Into<String>) -> Self {
        Self { why: why.to_string(), tail: said.into(), conversation: Conversation::Sound, cause: Cause::Job }
    }
}
