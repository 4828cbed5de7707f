//! Where git looks for hooks.

use std::path::{Path, PathBuf};

use super::git;
use crate::Failure;

/// The directory whose hooks run for the working tree around `dir`: `core.hooksPath` where it is set, and one
/// directory for all worktrees of a repository where it is not. It need not exist.
pub fn hooks_directory(dir: &Path) -> Result<PathBuf, Failure> {
    let advised = |failure: Failure| failure.advising("Say a directory inside a git working tree, with --path.");
    // From the top, which is where git runs hooks: a relative setting is relative to it.
    let top = git::top_level(dir).map_err(advised)?;
    let hooks = git::path_as_configured(&top, &["rev-parse", "--git-path", "hooks"]).map_err(advised)?;
    Ok(top.join(hooks))
}

/// The root of the working tree around `dir`.
pub fn repository_root(dir: &Path) -> Result<PathBuf, Failure> {
    git::top_level(dir).map_err(|failure| failure.advising("Say a directory inside a git working tree, with --path."))
}
