//! The workspace that a path belongs to: where a room would be made, and where an existing one counts.

use std::{
    collections::HashSet,
    ffi::OsString,
    fs, io,
    path::{Component, Path, PathBuf},
};

use super::{
    canonical,
    casing::{self, Disk},
    repository::{Checkout, checkout_at},
};
use crate::Failure;

/// Files that mark a directory as a workspace.
const MARKERS: [&str; 6] = ["CLAUDE.md", "AGENTS.md", "package.json", "pyproject.toml", "Cargo.toml", "go.mod"];

/// Where a path lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The directory itself.
    pub canonical_path: String,
    /// Where a new room is made.
    pub preferred_root: String,
    /// Where an existing room counts, the one that wins first.
    pub ancestors: Vec<String>,
}

/// Finds where `path` lies. Relative paths start at `cwd`; what marks `home` marks nothing below it.
pub fn resolve(path: &Path, cwd: &Path, home: Option<&Path>) -> Result<Location, Failure> {
    let canonical_path = canonical(path, cwd)?;
    let home = home.map(|home| fs::canonicalize(home).unwrap_or_else(|_| home.to_owned()));
    let levels = levels_from(Path::new(&canonical_path), home.as_deref());
    let preferred_root = preferred_root(&levels).and_then(Path::to_str).unwrap_or(&canonical_path).to_owned();
    let ancestors = ancestors(&levels, home.as_deref());
    Ok(Location { canonical_path, preferred_root, ancestors })
}

/// A directory on the way up, and what makes it the root of something.
struct Level {
    dir: PathBuf,
    root: Option<Root>,
}

enum Root {
    /// The top of a repository's working tree.
    Repository,
    /// The top of a linked worktree of the repository at `main`.
    Worktree { main: PathBuf },
    /// A directory with a marker file, or with a `.git` that leads nowhere.
    Marked,
}

/// The directories from `start` up to the outermost root. Only `start` when there is none.
fn levels_from(start: &Path, home: Option<&Path>) -> Vec<Level> {
    let level = |dir: &Path| {
        let captures = !is_too_wide(dir, home) || dir == start;
        Level { dir: dir.to_owned(), root: if captures { root_at(dir, home) } else { None } }
    };
    let mut levels: Vec<Level> = start.ancestors().map(level).collect();
    let outermost = levels.iter().rposition(|level| level.root.is_some()).unwrap_or(0);
    levels.truncate(outermost + 1);
    levels
}

/// Everything lies below these two, so what marks them says nothing about what lies there.
fn is_too_wide(dir: &Path, home: Option<&Path>) -> bool {
    dir.parent().is_none() || home == Some(dir)
}

fn root_at(dir: &Path, home: Option<&Path>) -> Option<Root> {
    match checkout_at(dir) {
        Some(Checkout::Own) => Some(Root::Repository),
        Some(Checkout::Linked { main }) if main == dir || is_too_wide(&main, home) => Some(Root::Repository),
        Some(Checkout::Linked { main }) => Some(Root::Worktree { main }),
        Some(Checkout::Broken) => Some(Root::Marked),
        None => MARKERS.iter().any(|marker| dir.join(marker).is_file()).then_some(Root::Marked),
    }
}

/// The nearest repository, else the nearest marker.
fn preferred_root(levels: &[Level]) -> Option<&Path> {
    let repository = levels.iter().find_map(|level| match &level.root {
        Some(Root::Repository) => Some(level.dir.as_path()),
        Some(Root::Worktree { main }) => Some(main.as_path()),
        Some(Root::Marked) | None => None,
    });
    let marked = || levels.iter().find(|level| level.root.is_some()).map(|level| level.dir.as_path());
    repository.or_else(marked)
}

/// Deepest first. In a linked worktree its own directories come first, then the same places in the main one.
fn ancestors(levels: &[Level], home: Option<&Path>) -> Vec<String> {
    let start = levels.first().map(|level| level.dir.as_path());
    let mut dirs: Vec<PathBuf> = Vec::new();
    for level in levels {
        dirs.push(level.dir.clone());
        if let Some(Root::Worktree { main }) = &level.root {
            let below = start.and_then(|start| start.strip_prefix(&level.dir).ok()).unwrap_or(Path::new(""));
            let counterpart = joined(main, below);
            dirs.extend(counterpart.ancestors().take_while(|dir| dir.starts_with(main)).map(Path::to_owned));
            dirs.extend(levels_from(main, home).into_iter().map(|level| level.dir));
        }
    }
    let mut seen = HashSet::new();
    dirs.retain(|dir| seen.insert(dir.clone()));
    dirs.iter().filter_map(|dir| dir.to_str()).map(str::to_owned).collect()
}

/// The same place in the main worktree, for an absolute path inside a linked one: they share a room. Any other path
/// is where it was.
///
/// Directories on the way have one spelling afterwards, as with [`canonical()`]. Nothing need exist; what does not is kept
/// as it is written.
pub fn in_main_worktree(path: &Path, home: Option<&Path>, last: LastLink) -> PathBuf {
    let path = followed(path, last);
    let home = home.map(|home| fs::canonicalize(home).unwrap_or_else(|_| home.to_owned()));
    let main_of = |dir: &Path| match root_at(dir, home.as_deref()) {
        Some(Root::Worktree { main }) if !is_too_wide(dir, home.as_deref()) => Some(main),
        Some(Root::Worktree { .. } | Root::Repository | Root::Marked) | None => None,
    };
    // Past repositories that lie in the worktree, because what holds the worktree's room holds theirs.
    let counterpart = path.ancestors().find_map(|dir| Some(joined(&main_of(dir)?, path.strip_prefix(dir).ok()?)));
    counterpart.unwrap_or(path)
}

/// What becomes of a symbolic link that is the last name of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastLink {
    /// It is what it leads to, as to whoever writes there.
    Followed,
    /// It is a file, as to git.
    Kept,
}

/// As many links as Linux follows in one path.
const LINKS: u32 = 40;

/// An absolute path with the links on its way followed, also those that lead to what does not exist yet. A loop of links
/// is kept as it is written.
pub fn followed(path: &Path, last: LastLink) -> PathBuf {
    let mut ahead: Vec<OsString> = Vec::new();
    let mut real = PathBuf::new();
    go_on(path, &mut real, &mut ahead);
    let (mut links, mut exists) = (LINKS, true);
    while let Some(name) = ahead.pop() {
        if name == ".." {
            real.pop();
            exists = true;
            continue;
        }
        let next = real.join(&name);
        if exists && links > 0 && (last == LastLink::Followed || !ahead.is_empty()) {
            match fs::read_link(&next) {
                Ok(target) => {
                    links -= 1;
                    go_on(&target, &mut real, &mut ahead);
                    continue;
                }
                // Nothing lies below what is not there, so no more links do.
                Err(error) if error.kind() == io::ErrorKind::NotFound => exists = false,
                Err(_) => {}
            }
        }
        real = next;
    }
    casing::as_stored(&real, &Disk)
}

/// Puts the names of `path` before those that are still ahead. An absolute path starts over at its root.
fn go_on(path: &Path, real: &mut PathBuf, ahead: &mut Vec<OsString>) {
    for component in path.components().rev() {
        match component {
            Component::Normal(name) => ahead.push(name.to_owned()),
            Component::ParentDir => ahead.push("..".into()),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => *real = real_root(path),
        }
    }
}

/// The root that an absolute path hangs on.
fn real_root(path: &Path) -> PathBuf {
    path.components().take_while(|part| matches!(part, Component::Prefix(_) | Component::RootDir)).collect()
}

/// By components, because joining an empty path would leave a slash at the end.
fn joined(dir: &Path, below: &Path) -> PathBuf {
    dir.components().chain(below.components()).collect()
}
