//! Setting Baton up in the coding agents a person uses: their MCP server entry and their skill; and in git.
//!
//! Each harness has one file here that says where its configuration is, what an entry looks like in it and which
//! skill directory it reads; [`json`] and [`toml`] edit the two formats, [`atomic`] writes. [`git_hook`] guards the
//! commits of a repository. Nothing here prints or reads the environment: the caller passes both in and shows the [`Outcome`].
//!
//! Start at [`install`], [`uninstall`] and [`status()`]; [`plan_install`] is what `--print` shows.
//!
//! What must stay true: a configuration belongs to the person. Whatever is not our entry keeps its bytes where the
//! format allows, a file that cannot be read is refused and left alone, and nothing is written when nothing changes.

mod atomic;
mod claude_code;
mod client;
mod codex;
mod error;
mod gemini;
pub(crate) mod git_hook;
mod harness;
mod json;
mod opencode;
mod outcome;
mod places;
mod plan;
mod register;
mod registration;
mod skill;
mod status;
#[cfg(test)]
mod tests;
mod toml;
mod unregister;

pub(crate) use error::InstallError;
pub(crate) use harness::Harness;
pub(crate) use outcome::{ConfigChange, ConfigReport, Outcome, SkillChange, SkillReport};
pub(crate) use places::Places;
pub(crate) use plan::Plan;
pub(crate) use register::{install, plan_install};
pub(crate) use registration::Registration;
pub(crate) use skill::SkillStatus;
pub(crate) use status::{Status, absence, skill_status, status};
pub(crate) use unregister::{plan_uninstall, uninstall};
