//! Where a caller's commands may write in a room, as the room stands now.
//!
//! The rule is that of edits (`core/src/scope/edit.rs`), turned from a question about paths into directories. All working
//! trees of a repository share a room, and git's own directory moves them all, so both count as the room's.

use std::{
    fs,
    path::{Path, PathBuf},
};

use baton_core::{
    code::ErrorCode,
    ids::RoomId,
    limits,
    room::Stick,
    scope::{Intent, Reservation, ScopePath, Scopes, Verdict, View},
};
use baton_store::rooms;

use crate::{
    App, Caller, Failure,
    paths::{self, LastLink},
    presence::{self, Effort},
    scoping,
};

/// The places of a room that a caller's commands must not write, and those inside that they may. Of two that lie in each
/// other the inner one decides. All paths are absolute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteBounds {
    /// The room's root, without symbolic links.
    pub root: PathBuf,
    pub denied: Vec<PathBuf>,
    /// The caller's own scopes, and Baton's data directory. They need not exist.
    pub allowed: Vec<PathBuf>,
}

impl App {
    /// Decides where commands of `caller` may write. The holder of the stick writes everywhere but in live scopes of
    /// others; anybody else only in live scopes of its own.
    pub fn write_bounds(&self, caller: &Caller, room: &RoomId) -> Result<WriteBounds, Failure> {
        let stale_after = self.stale_after_or_default();
        let (mut sight, found) = self.see_with_scopes(room)?;
        // Refuses a caller that goes by somebody else's id.
        presence::refresh(self, caller, &mut sight.room, sight.now, Effort::Try)?;
        if sight.room.stick == Stick::Closed {
            return Err(Failure::new(ErrorCode::RoomClosed, format!("The room {room} is closed.")));
        }
        let root = scoping::root(&sight.room)?;
        let places = self.places(&root)?;
        let by = caller.actor();
        let live = found.into_iter().filter(|reservation| reservation.is_live(sight.now));
        let (own, foreign): (Vec<_>, Vec<_>) = live.partition(|reservation| reservation.lease.holder == by.agent_id);
        let view = View { room: &sight.room, root: &root, now: sight.now, stale_after, witness: &sight.eyes };
        let scopes: Scopes = own.iter().cloned().collect();
        // Others' scopes are denied below, one by one.
        let has_all = scopes.may_edit(view, &by, std::slice::from_ref(&root)).is_ok();
        let on_disk = |reservations: &[Reservation]| -> Vec<PathBuf> {
            let below = reservations.iter().map(|reservation| below_root(&reservation.path(&root), &root));
            below.flat_map(|below| places.trees.iter().map(move |tree| joined(tree, &below))).collect()
        };
        let mut denied = if has_all { Vec::new() } else { [&places.trees[..], &places.git_dirs].concat() };
        for scope in on_disk(&foreign) {
            // A link that took the place of a scope is denied with its target, if that is the room's.
            let target = paths::followed(&scope, LastLink::Followed);
            denied.extend(Some(target).filter(|target| places.trees.iter().any(|tree| target.starts_with(tree))));
            denied.push(scope);
        }
        denied.extend(self.foreign_rooms_below(caller, &places.root)?);
        denied.sort();
        denied.dedup();
        let mut allowed = if has_all { Vec::new() } else { on_disk(&own) };
        allowed.extend(self.own_directory());
        Ok(WriteBounds { root: places.root, denied, allowed })
    }

    /// Roots of rooms inside of a directory that are not the caller's to change.
    fn foreign_rooms_below(&self, caller: &Caller, directory: &Path) -> Result<Vec<PathBuf>, Failure> {
        let Some(directory) = directory.to_str() else { return Ok(Vec::new()) };
        let by = [caller.actor()];
        let mut foreign = Vec::new();
        for (room, path) in self.store.read(|tx| rooms::below(tx, directory, limits::ROOMS_MAX))? {
            let (sight, found) = self.see_with_scopes(&room)?;
            let root = scoping::root(&sight.room)?;
            let stale_after = self.stale_after_or_default();
            let view = View { room: &sight.room, root: &root, now: sight.now, stale_after, witness: &sight.eyes };
            if matches!(found.guard(view, &by, Intent::Edit(std::slice::from_ref(&root))), Verdict::Refused(_)) {
                foreign.push(PathBuf::from(path));
            }
        }
        Ok(foreign)
    }

    /// The directories that a room's files are in, on this machine.
    fn places(&self, root: &ScopePath) -> Result<Places, Failure> {
        if root.is_anchor() {
            let message = "The room covers the whole file system, and no command works without writing anywhere.";
            return Err(Failure::new(ErrorCode::PreconditionFailed, message)
                .advising("Use a room with a workspace of its own: name its id or a path in it."));
        }
        let written = root.absolute();
        let real = fs::canonicalize(&written).map_err(|error| {
            let message = format!("The room's root {written} cannot be reached on this machine: {error}.");
            Failure::new(ErrorCode::PathNotFound, message).with("path", written.clone())
        })?;
        let own = self.own_directory();
        // Worktrees in the data directory are those of jobs, each of which has one for itself.
        let is_shared = |tree: &&PathBuf| own.as_ref().is_none_or(|own| !tree.starts_with(own));
        let repository = paths::repository_places(&real);
        let below = |top: &Path| real.strip_prefix(top).map(Path::to_owned).unwrap_or_default();
        let others = repository.iter().flat_map(|found| {
            let below = below(&found.top);
            found.worktrees.iter().filter(is_shared).map(move |tree| joined(tree, &below))
        });
        let trees = [real.clone()].into_iter().chain(others).collect();
        Ok(Places { root: real, trees, git_dirs: repository.into_iter().map(|found| found.git_dir).collect() })
    }

    /// The data directory, without symbolic links. Commands of Baton write there.
    fn own_directory(&self) -> Option<PathBuf> {
        let directory = self.directory.clone().or_else(|| self.environment.data_dir().ok())?;
        Some(fs::canonicalize(&directory).unwrap_or(directory))
    }
}

/// The directories that a room's files are in.
struct Places {
    root: PathBuf,
    /// The root, and the same place in the repository's other working trees.
    trees: Vec<PathBuf>,
    git_dirs: Vec<PathBuf>,
}

/// A scope from the room's root. One that covers more than the room is the root.
fn below_root(scope: &ScopePath, root: &ScopePath) -> PathBuf {
    let (scope, root) = (scope.absolute(), root.absolute());
    Path::new(&scope).strip_prefix(root).map(Path::to_owned).unwrap_or_default()
}

/// By components, because joining an empty path would leave a slash at the end.
fn joined(directory: &Path, below: &Path) -> PathBuf {
    directory.components().chain(below.components()).collect()
}
