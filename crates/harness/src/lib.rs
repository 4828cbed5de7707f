//! Everything Baton knows of one agent program is in one place.
//!
//! Each program has a directory (`claude_code`, `codex`, `gemini`, `opencode`): `facts.rs` is how it is
//! recognised, `hook.rs` what its hooks say and how they are answered, `install.rs` where its configuration is and what Baton
//! puts there, `inspect.rs` how it is read back. [`Harness`] lists the programs; [`hook`], [`install`](mod@install) and
//! [`inspect`] have what all of them share. Nothing here reads the environment or prints.
//!
//! A fifth program is a directory here and a line in `program.rs`.

mod claude_code;
mod codex;
mod facts;
mod gemini;
pub mod hook;
pub mod inspect;
pub mod install;
mod opencode;
mod process;
mod program;

pub use claude_code::ClaudeInbox;
pub use program::{Harness, UnknownHarness};
