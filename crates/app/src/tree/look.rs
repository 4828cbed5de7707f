//! A look at a working tree: the commit, and the files that are not as it has them.
#![expect(clippy::disallowed_methods, reason = "this module measures how old a look at the disk is")]

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use baton_core::{
    ids::RoomId,
    tree::{FileState, Files, How, Tree, fitting},
};

use super::files::state_of;
use crate::{
    App, Caller, Failure,
    git::{Hooks, command, run_bounded},
    packs::Workspace,
    paths,
};

/// Some hundred thousand dirty files. A tree with more is not recorded.
const OUTPUT_BYTES: u64 = 16 * 1024 * 1024;
/// A holder who hands on waits for this, so a tree that takes longer is not recorded.
const DEADLINE: Duration = Duration::from_secs(5);
/// Rooms whose paths are remembered. Forgetting costs a read.
const PATHS_MAX: usize = 1_024;

/// How long a room counts as one without git after it was looked for. A claim and a release in quick succession, which cost
/// less than the look, do not repeat it.
const WITHOUT_GIT: Duration = Duration::from_secs(1);

/// Where rooms are. A path never changes, and looking it up for every release would be a read more in each.
#[derive(Default)]
pub(crate) struct RoomPaths(Mutex<HashMap<RoomId, RoomPath>>);

struct RoomPath {
    path: Option<String>,
    /// When nothing of git was found there, and for callers in which directory.
    without_git: Option<(Instant, PathBuf)>,
}

/// The files of a room on this machine.
pub(crate) struct RoomFiles {
    /// The git working tree that the room's directory lies in.
    pub(super) working_tree: Option<WorkingTree>,
    /// The workspace as it is where the caller works.
    pub(crate) workspace: Option<Workspace>,
}

impl RoomPaths {
    pub(crate) fn remember(&self, room: &RoomId, path: Option<&str>) {
        let mut known = self.lock();
        if !known.contains_key(room) {
            if known.len() >= PATHS_MAX {
                known.clear();
            }
            known.insert(room.clone(), RoomPath { path: path.map(str::to_owned), without_git: None });
        }
    }

    /// The files of a room. That there is no git is not looked for again for a moment.
    pub(crate) fn files(&self, room: &RoomId, path: &str, caller: &Caller) -> RoomFiles {
        let is_fresh = |(looked, cwd): &(Instant, PathBuf)| looked.elapsed() < WITHOUT_GIT && *cwd == caller.cwd;
        if self.lock().get(room).is_some_and(|known| known.without_git.as_ref().is_some_and(is_fresh)) {
            return RoomFiles { working_tree: None, workspace: Workspace::own(path) };
        }
        let files = RoomFiles { working_tree: WorkingTree::at(path), workspace: Workspace::at(path, caller) };
        // A workspace elsewhere is one of a repository, too.
        let is_without_git = files.working_tree.is_none() && files.workspace.as_ref().is_some_and(Workspace::is_own);
        if let Some(known) = self.lock().get_mut(room) {
            known.without_git = is_without_git.then(|| (Instant::now(), caller.cwd.clone()));
        }
        files
    }

    fn find(&self, room: &RoomId) -> Option<Option<String>> {
        self.lock().get(room).map(|known| known.path.clone())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RoomId, RoomPath>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A room's directory inside a git working tree.
pub(super) struct WorkingTree {
    /// The room's directory.
    pub(super) root: PathBuf,
    /// Where it lies below the top of the working tree: empty, or with a slash at its end.
    prefix: String,
}

/// A look, with what only a comparison needs.
pub(super) struct Look {
    pub(super) tree: Tree,
    /// Dirty files that the commit does not have.
    pub(super) new: BTreeSet<String>,
}

impl App {
    /// Looks at the files of a room's workspace, to compare them with a later look. Nothing, where the room has no
    /// workspace on this machine or it is no git working tree.
    pub fn look_at_tree(&self, room: &RoomId) -> Result<Option<Tree>, Failure> {
        let path = self.room_path(room)?;
        let working_tree = path.as_deref().and_then(WorkingTree::at);
        Ok(working_tree.and_then(|working_tree| working_tree.look()).map(|look| look.tree))
    }

    pub(crate) fn room_path(&self, room: &RoomId) -> Result<Option<String>, Failure> {
        if let Some(known) = self.room_paths.find(room) {
            return Ok(known);
        }
        let path = self.store.read(|tx| self.room(tx, room))?.canonical_path;
        self.room_paths.remember(room, path.as_deref());
        Ok(path)
    }
}

impl WorkingTree {
    /// The working tree around a room's directory. Found by looking for `.git`, without running anything.
    pub(super) fn at(path: &str) -> Option<Self> {
        let root = Path::new(path);
        // A bare repository has no working tree, so that only what `.git` names can be one.
        let top = root.ancestors().find(|dir| dir.join(".git").exists() && paths::is_checkout(dir))?;
        if !root.is_dir() {
            return None;
        }
        let below = root.strip_prefix(top).ok()?.to_str()?;
        let prefix = if below.is_empty() { String::new() } else { format!("{below}/") };
        Some(Self { root: root.to_owned(), prefix })
    }

    /// The tree as it is. Nothing, if git cannot tell in time.
    pub(super) fn look(&self) -> Option<Look> {
        const STATUS: [&str; 9] = [
            "--porcelain=v2",
            "--branch",
            "-z",
            "--untracked-files=all",
            "--ignored=no",
            "--ignore-submodules=dirty",
            "--no-renames",
            "--",
            ".",
        ];
        let printed = self.git("status", &STATUS)?;
        let mut status = Status::read(&printed);
        let relative: BTreeMap<String, bool> =
            status.files.into_iter().filter_map(|(path, new)| Some((self.below(path)?, new))).collect();
        let (kept, more) = fitting(relative.keys().cloned().collect());
        let dirty = kept.into_iter().map(|path| (path.clone(), self.state(&path))).collect();
        let new = relative.into_iter().filter_map(|(path, new)| new.then_some(path)).collect();
        Some(Look { tree: Tree { head: status.head.take(), dirty: Files(dirty), more }, new })
    }

    /// The content of a file of the room.
    pub(super) fn state(&self, path: &str) -> FileState {
        state_of(&self.root, path)
    }

    /// The files that differ between two commits, as they are on disk. None, if git does not have both.
    pub(super) fn committed(&self, before: &str, now: &str) -> BTreeMap<String, (How, FileState)> {
        let is_commit = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_commit(before) || !is_commit(now) {
            return BTreeMap::new();
        }
        let words = ["-r", "--name-status", "-z", "--no-renames", before, now, "--", "."];
        let Some(printed) = self.git("diff-tree", &words) else { return BTreeMap::new() };
        let mut fields = printed.split(|byte| *byte == 0);
        let mut found = BTreeMap::new();
        while let (Some(status), Some(path)) = (fields.next(), fields.next()) {
            let how = match status.first() {
                Some(b'A') => How::Added,
                Some(b'D') => How::Removed,
                Some(_) => How::Changed,
                None => break,
            };
            found.extend(self.below(path).map(|path| (path, how)));
        }
        let (kept, _) = fitting(found.keys().cloned().collect());
        let with_state = |path: String| Some((path.clone(), (*found.get(&path)?, self.state(&path))));
        kept.into_iter().filter_map(with_state).collect()
    }

    /// A path that git printed, from the room's root. Names that are no text are left out: nothing stored could say them.
    fn below(&self, printed: &[u8]) -> Option<String> {
        let path = std::str::from_utf8(printed).ok()?.strip_prefix(&self.prefix)?;
        // A repository inside this one is listed as a directory.
        Some(path.strip_suffix('/').unwrap_or(path)).filter(|path| !path.is_empty()).map(str::to_owned)
    }

    fn git(&self, subcommand: &str, words: &[&str]) -> Option<Vec<u8>> {
        let mut command = command(&self.root, subcommand, Hooks::Off).ok()?;
        let printed = run_bounded(command.args(words), OUTPUT_BYTES, DEADLINE).ok()?;
        // Half an answer would be a wrong one: a file that is not in it would count as clean.
        (printed.status.success() && !printed.is_cut).then_some(printed.stdout)
    }
}

/// Output of `git status --porcelain=v2 --branch -z`.
struct Status<'a> {
    head: Option<String>,
    /// Each dirty path, and whether the commit does not have it.
    files: Vec<(&'a [u8], bool)>,
}

impl<'a> Status<'a> {
    fn read(printed: &'a [u8]) -> Self {
        let mut status = Self { head: None, files: Vec::new() };
        for entry in printed.split(|byte| *byte == 0) {
            // Fields before the path, by the sort of entry.
            let before_path = match entry.first() {
                Some(b'#') => {
                    let head = entry.strip_prefix(b"# branch.oid ").and_then(|head| std::str::from_utf8(head).ok());
                    status.head = head.filter(|head| *head != "(initial)").map(str::to_owned).or(status.head);
                    continue;
                }
                Some(b'1') => 8,
                Some(b'u') => 10,
                Some(b'?') => 1,
                _ => continue,
            };
            let Some(path) = entry.splitn(before_path + 1, |byte| *byte == b' ').nth(before_path) else { continue };
            let new = before_path == 1 || entry.get(2..4).is_some_and(|state| state.contains(&b'A'));
            status.files.push((path, new));
        }
        status
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sort_of_entry_is_read_with_blanks_and_newlines_in_its_path() {
        let printed = b"# branch.oid 1f2e\0# branch.head main\0\
            1 .M N... 100644 100644 100644 aa bb a b\0\
            1 A. N... 000000 100644 100644 00 bb new\nline\0\
            u UU N... 100644 100644 100644 100644 aa bb cc both sides\0\
            ? un tracked/\0! ignored\0";
        let status = Status::read(printed);
        assert_eq!(status.head.as_deref(), Some("1f2e"));
        let told: Vec<_> = status.files.iter().map(|(path, new)| (String::from_utf8_lossy(path), *new)).collect();
        let expected = [("a b", false), ("new\nline", true), ("both sides", false), ("un tracked/", true)];
        assert_eq!(told, expected.map(|(path, new)| (path.into(), new)));
        assert_eq!(Status::read(b"# branch.oid (initial)\0").head, None);
        assert_eq!(Status::read(b"1 .M\0?\0u\0\0x").files, []);
    }
}
