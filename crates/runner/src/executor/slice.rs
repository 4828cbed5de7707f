//! A piece of work on a job, as a program gets it.

use std::path::PathBuf;

use super::Profile;

/// One run of a program for a job.
#[derive(Clone, Debug)]
pub struct Slice {
    /// All that the program is told; it is on its standard input.
    pub prompt: String,
    /// What it is to answer with.
    pub form: Form,
    /// Where it works.
    pub cwd: PathBuf,
    /// How much thought it gives. Without one that is the program's own choice.
    pub profile: Option<Profile>,
    /// The model, if the job wants a certain one. It goes before the profile's.
    pub model: Option<String>,
    /// The conversation to go on with.
    pub resume: Option<Session>,
    /// A directory of this slice alone, which exists and is empty.
    pub scratch: PathBuf,
    /// Baton itself, for the program to report to and ask.
    pub server: Option<Server>,
    /// Whether it may only look, and change no file.
    pub read_only: bool,
}

/// What a program is to answer with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The object of [`SCHEMA`](super::SCHEMA): whether the job is done, and what shows it.
    Answer,
    /// Its own words, as they are.
    Words,
    /// Nothing: it is to shorten its own conversation, and what that comes to is its answer. See [`COMPACT`].
    Notes,
}

/// What Claude Code is told to shorten its own conversation.
pub const COMPACT: &str = "/compact";

/// The name that a program gave to a conversation, by which it can be gone on with.
///
/// It comes back to the program as an argument, so it must not look like anything else: letters, digits, `-` and `_`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session(String);

impl Session {
    const CHARS_MAX: usize = 128;

    /// Reads a name. None when it is not one.
    pub fn parse(name: &str) -> Option<Self> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let fits = (1..=Self::CHARS_MAX).contains(&name.len()) && !name.starts_with('-') && name.bytes().all(is_plain);
        fits.then(|| Self(name.to_owned()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The name that Baton's MCP server has in a program.
pub const SERVER: &str = "baton";

/// An MCP server that a program is to start, by the name of [`SERVER`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// The program; a path.
    pub command: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its variables. They may be secret.
    pub env: Vec<(String, String)>,
}
