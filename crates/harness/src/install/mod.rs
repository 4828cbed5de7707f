//! Setting Baton up in the coding agents a person uses: their MCP server entry and their skill; and in git.
//!
//! Each harness has a file `install.rs` of its own that says where its configuration is, what an entry looks like in it and which
//! skill directory it reads; `json` and `toml` edit the two formats, `atomic` writes. [`git_hook`] guards the
//! commits of a repository. Nothing here prints or reads the environment: the caller passes both in and shows the [`Outcome`].
//!
//! Start at [`install`], [`uninstall`] and [`status()`]; [`plan_install`] is what `--print` shows.
//!
//! What must stay true: a configuration belongs to the person. Whatever is not our entry keeps its bytes where the
//! format allows, a file that cannot be read is refused and left alone, and nothing is written when nothing changes.

mod atomic;
pub(crate) mod client;
pub(crate) mod contents;
pub(crate) mod draft;
mod error;
pub mod git_hook;
pub(crate) mod hook_command;
pub(crate) mod json;
pub(crate) mod json_edit;
mod outcome;
mod package;
pub(crate) mod parts;
mod places;
mod plan;
pub(crate) mod register;
pub(crate) mod registration;
pub(crate) mod skill;
mod status;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod toml;
mod unregister;

pub use error::InstallError;
pub use outcome::{ConfigChange, ConfigReport, FileChange, FileReport, Outcome, SkillChange, SkillReport};
pub use package::{Package, Part, UnknownChoice, Wake};
pub use places::Places;
pub use plan::Plan;
pub use register::{install, plan_install};
pub use registration::Registration;
pub use skill::SkillStatus;
pub use status::{Status, absence, skill_status, status, wakes};
pub use unregister::{plan_uninstall, uninstall};
