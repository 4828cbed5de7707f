//! Claude Code, `claude`.

mod facts;
mod hook;
mod inbox;
mod inspect;
mod install;

pub(crate) use facts::FACTS;
pub(crate) use hook::Hooks;
pub use inbox::ClaudeInbox;
pub(crate) use install::ClaudeCode;
