//! The agent programs a runner can drive. Each file knows one of them: how to start it for a slice, what its stream
//! means, and where its answer is.
//!
//! A [`Slice`] is a piece of work on a job. An [`Executor`] makes a [`Plan`] of it (arguments, files, variables) and
//! gives a [`Reading`] for what the program prints. [`Running`] puts the two together with a child process and ends in
//! an [`Outcome`]. Start at [`Executor`].
//!
//! What must stay true: what is executed comes from [`Agent`] or [`CommandLine`], which are the user's own
//! configuration, and nothing that a repository says is executed: its settings for a program are untrusted or not read, and
//! a program gets the runner's [`Variables`] by an allow-list. A slice contributes data only, and nothing secret is in the
//! arguments, which anybody may list.

mod answer;
mod cause;
mod claude;
mod claude_state;
mod codex;
mod command;
mod equip;
mod find;
mod kind;
mod plan;
mod profile;
mod reading;
mod running;
mod seen;
mod slice;
#[cfg(test)]
mod tests;
mod variables;

pub use answer::{Answer, AnswerStatus, Misfit, Note, NoteKind, SCHEMA};
pub use cause::Cause;
pub use equip::{Equipment, MissingProgram, Named, equip};
pub use find::{NotFound, Wanted, find};
pub(crate) use kind::harness;
pub use kind::{Agent, CommandLine, Executor, ExecutorKind};
pub use plan::Plan;
pub use profile::{Choice, Profile, Profiles};
pub use reading::{Conversation, Failed, Reading};
pub use running::{Halt, Limits, Outcome, Played, Running};
pub use seen::{Seen, ToolState};
pub use slice::{COMPACT, Form, SERVER, Server, Session, Slice};
pub use variables::{VariableName, Variables};
