//! How a child ended.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Tail;

/// The end of a child, and what was found out about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exit {
    /// How the program itself ended.
    pub status: Status,
    /// The names of the processes that it had left behind when it ended by itself, and that were killed. Only
    /// the first few are named.
    pub leaked: Vec<String>,
    /// The names of those that could not be killed, as a rule because they belong to another user.
    pub stuck: Vec<String>,
    /// Whether it was ended because its claim had run out.
    pub claim_ran_out: bool,
    /// The end of what was printed to standard error.
    pub stderr: Tail,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// By itself, with this exit code.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// Its minder was killed, and the program with it.
    Lost,
}

impl Status {
    /// Whether it ended by itself and says that all went well.
    pub fn is_success(self) -> bool {
        self == Self::Code(0)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exited with {code}"),
            Self::Signal(signal) => write!(f, "was ended by signal {signal}"),
            Self::Lost => f.write_str("was killed together with its minder"),
        }
    }
}
