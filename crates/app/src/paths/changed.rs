//! Which files of a working tree are not committed, and which the next commit would change.
//!
//! Paths are absolute, in the working tree that was asked about (a linked worktree's own), sorted, and each is named
//! once. They are byte for byte what git stores, so a name need not be UTF-8. A renamed file counts as two: the one
//! that is gone and the one that is new. A submodule counts as one path, when it is at another commit.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    path::{Path, PathBuf},
};

use super::git;
use crate::Failure;

/// Every file of the working tree around `root` that is not as it was committed: changed, added, deleted or
/// untracked. Ignored files are not changes.
pub fn changed_paths(root: &Path) -> Result<Vec<PathBuf>, Failure> {
    const STATUS: [&str; 6] =
        ["status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=dirty", "--no-renames"];
    let top = git::top_level(root).map_err(advised)?;
    let listed = git::run_whole(&top, None, &STATUS).map_err(advised)?;
    Ok(absolute(&top, status_paths(&listed)))
}

/// The files that the next commit in the working tree around `root` would change.
///
/// What a merge takes over as the other side committed it is not of its making, as in a merge that git commits by
/// itself: only what is like neither side counts.
///
/// `index` is what a hook finds in `GIT_INDEX_FILE`: `git commit -a` and `git commit FILE` commit another index than
/// the usual one. Without it the usual one counts.
pub fn staged_paths(root: &Path, index: Option<&OsStr>) -> Result<Vec<PathBuf>, Failure> {
    const DIFF: [&str; 8] = [
        "diff",
        "--cached",
        "--name-only",
        "-z",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules=dirty",
    ];
    // From the top, because a setting can make the names relative to where git starts, and a relative index is.
    let top = git::top_level(root).map_err(advised)?;
    let mut staged = absolute(&top, fields(&git::run_whole(&top, index, &DIFF).map_err(advised)?));
    if !staged.is_empty() && git::run(&top, &["rev-parse", "--verify", "--quiet", "MERGE_HEAD"]).is_ok() {
        let merged = [&DIFF[..], &["MERGE_HEAD"]].concat();
        let own = absolute(&top, fields(&git::run_whole(&top, index, &merged).map_err(advised)?));
        staged.retain(|path| own.binary_search(path).is_ok());
    }
    Ok(staged)
}

fn advised(failure: Failure) -> Failure {
    failure.advising("Name the paths yourself, or say a directory inside a git working tree.")
}

/// Entries are `XY path`; one that says where it was renamed or copied from is followed by that path.
fn status_paths(listed: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut is_origin = false;
    fields(listed).filter_map(move |field| {
        if std::mem::take(&mut is_origin) {
            return Some(field);
        }
        let (state, path) = field.split_at_checked(3)?;
        is_origin = state[..2].iter().any(|code| matches!(code, b'R' | b'C'));
        Some(path)
    })
}

fn fields(listed: &[u8]) -> impl Iterator<Item = &[u8]> {
    listed.split(|byte| *byte == 0).filter(|field| !field.is_empty())
}

fn absolute<'a>(top: &Path, paths: impl Iterator<Item = &'a [u8]>) -> Vec<PathBuf> {
    // A repository inside this one is listed as a directory, with a slash.
    let path = |name: &[u8]| top.join(git::path(name.strip_suffix(b"/").unwrap_or(name)));
    paths.map(path).collect::<BTreeSet<_>>().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_a_rename_are_named() {
        let listed = b"R  new name\0old\0 M RM x\0?? y\0";
        let paths: Vec<_> = status_paths(listed).map(String::from_utf8_lossy).collect();
        assert_eq!(paths, ["new name", "old", "RM x", "y"]);
    }
}
