//! Gemini CLI, `gemini`.

mod facts;
mod hook;
mod inspect;
mod install;

pub(crate) use facts::FACTS;
pub(crate) use hook::{Hooks, is_bypassed};
pub(crate) use install::Gemini;
