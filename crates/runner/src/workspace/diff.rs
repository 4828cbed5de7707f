//! What changed between two snapshots.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::{
    GitError, Snapshot, Workspace,
    git::{fields, path},
};

/// The most that is kept of the changes as text.
pub const DIFF_BYTES: usize = 1024 * 1024;
const FILES_MAX: usize = 2_000;

/// What changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// The changes, as `git diff` shows them. Binary files are only named.
    pub text: String,
    /// Whether there was more.
    pub was_cut: bool,
    /// The files that changed, by name.
    pub files: Vec<ChangedFile>,
    /// How many more files there are than are listed.
    pub files_left_out: usize,
}

/// A file that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedFile {
    /// Its path below the top of the working tree. What is not UTF-8 is replaced.
    pub path: String,
    /// What happened to it.
    pub change: Change,
    /// Whether its content is not shown: it is binary, or too large.
    pub is_opaque: bool,
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It is new.
    Added,
    /// It is different.
    Modified,
    /// It is gone.
    Deleted,
}

impl Diff {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

impl Workspace {
    /// What changed from one snapshot to another.
    pub fn diff(&self, before: &Snapshot, after: &Snapshot) -> Result<Diff, GitError> {
        let git = || {
            let plain = ["diff-tree", "-r", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"];
            self.git().args(plain)
        };
        let trees = [&before.tree, &after.tree];
        let listed = git().args(["--raw", "--numstat", "-z"]).args(trees).whole()?;
        let mut files = listed_files(&listed);
        for (file, change) in self.large_files(before, after) {
            let change = ChangedFile { path: file.to_string_lossy().into_owned(), change, is_opaque: true };
            files.insert(file, change);
        }
        let patch = git().args(["--patch", "--src-prefix=a/", "--dst-prefix=b/"]).args(trees).up_to(DIFF_BYTES)?;
        let files_left_out = files.len().saturating_sub(FILES_MAX);
        Ok(Diff {
            text: String::from_utf8_lossy(&patch.bytes).into_owned(),
            was_cut: patch.was_cut,
            files: files.into_values().take(FILES_MAX).collect(),
            files_left_out,
        })
    }

    /// Files that a snapshot did not look into, and that changed.
    fn large_files(&self, before: &Snapshot, after: &Snapshot) -> Vec<(PathBuf, Change)> {
        let all: BTreeSet<_> = before.large.keys().chain(after.large.keys()).collect();
        let changed = all.into_iter().filter(|file| before.large.get(*file) != after.large.get(*file));
        let change = |file: &PathBuf| match (self.is_in(before, file), self.is_in(after, file)) {
            (false, _) => Change::Added,
            (true, false) => Change::Deleted,
            (true, true) => Change::Modified,
        };
        changed.map(|file| (file.clone(), change(file))).collect()
    }

    fn is_in(&self, snapshot: &Snapshot, file: &Path) -> bool {
        let mut object = OsString::from(format!("{}:", snapshot.tree));
        object.push(file);
        snapshot.large.contains_key(file)
            || self.git().args(["cat-file".as_ref(), "-e".as_ref(), object.as_os_str()]).whole().is_ok()
    }
}

/// `:MODE MODE ID ID LETTER` and a path for each file, then `ADDED REMOVED PATH` for each, with `-` for binary ones.
fn listed_files(listed: &[u8]) -> BTreeMap<PathBuf, ChangedFile> {
    let mut files = BTreeMap::new();
    let mut fields = fields(listed);
    while let Some(field) = fields.next() {
        if field.starts_with(b":") {
            let Some(name) = fields.next() else { break };
            let change = match field.last() {
                Some(b'A') => Change::Added,
                Some(b'D') => Change::Deleted,
                Some(_) | None => Change::Modified,
            };
            let file = ChangedFile { path: String::from_utf8_lossy(name).into_owned(), change, is_opaque: false };
            files.insert(path(name).to_owned(), file);
        } else if let Some(name) = field.strip_prefix(b"-\t-\t")
            && let Some(file) = files.get_mut(path(name))
        {
            file.is_opaque = true;
        }
    }
    files
}
