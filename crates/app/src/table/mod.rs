//! The command table: every use case once, and every surface a view of it.
//!
//! A use case is a name, an input and an output type, and a function of `(app, caller, input)`. MCP tools, the
//! CLI's `--json` output, HTTP routes and socket requests are made from [`TABLE`]; nothing is
//! implemented per transport. Agents find a command either as a tool of its own or as an op of a portal, which
//! [`Place`] says.

mod access;
mod call;
mod command;
mod parse;
mod place;
mod plain;
mod shape;

use baton_core::{code::ErrorCode, limits};

use crate::Failure;

pub use access::{Access, Permission, Role};
pub use call::{Asked, CALL, Call, HELP};
pub use command::{Command, Effect, Subject, UseCase};
pub use parse::parse;
pub use place::{AGENT, BUS, CONTEXT, INBOX, JOBS, Place, Portal, SCOPE, TASKS, Tier};

/// Every command, in the order in which tools are listed. It is a static, because that it is this table and no other is
/// told by its address.
pub static TABLE: &[Command] = crate::commands::TABLE;

/// The command named `name`.
pub fn find(name: &str) -> Option<&'static Command> {
    TABLE.iter().find(|command| command.name == name)
}

/// The command that is called `name` on the socket and over HTTP: by its contract's name, else by its own.
pub fn find_on_wire(name: &str) -> Option<&'static Command> {
    TABLE.iter().find(|command| command.wire == Some(name)).or_else(|| find(name))
}

/// The same, or a refusal that is the same on every transport.
pub fn require_on_wire(name: &str) -> Result<&'static Command, Failure> {
    find_on_wire(name).ok_or_else(|| {
        let shown: String = name.chars().take(limits::SHOWN_INPUT_CHARS).collect();
        let next = "docs/protocol.md lists the commands, and so does /openapi.json of a server.";
        Failure::new(ErrorCode::UnknownCmd, format!("There is no command {shown:?}.")).advising(next)
    })
}
