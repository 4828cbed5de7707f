//! OpenCode, `opencode`.

mod facts;
mod hook;
mod inspect;
mod install;

pub(crate) use facts::FACTS;
pub(crate) use hook::Hooks;
pub(crate) use install::OpenCode;
