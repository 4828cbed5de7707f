//! The guard before commits: a few lines of shell in a repository's `pre-commit` hook that run `baton scope check`.
//!
//! `block` has the lines and how they go into a script and out of it; `hook` does that to the file, and [`status()`] looks
//! at it. Which file is git's to say, and the caller's to ask.
//!
//! What must stay true: the hook belongs to the person. Whatever is not our lines keeps its bytes, and a commit is
//! refused for a reservation only, never because Baton is missing, broken or without a store.

mod block;
mod hook;
mod status;

pub use block::{BEGIN, END};
pub use hook::{Outcome, install, plan_install, plan_uninstall, uninstall};
pub use status::{Status, status};

/// The name on the command line.
pub const SLUG: &str = "git-hook";

/// What git calls the hook.
pub const FILE_NAME: &str = "pre-commit";
