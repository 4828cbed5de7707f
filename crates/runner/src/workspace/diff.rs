//! What changed between two snapshots.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    path::{Path, PathBuf},
};

use baton_core::limits;
use serde::Serialize;

use super::{
    GitError, Snapshot, Workspace,
    git::{fields, path},
};

/// The most that is kept of changes that are only shown.
pub const DIFF_BYTES: usize = 1024 * 1024;
/// The most that a patch has. A longer one cannot be kept whole, and is shown only.
pub const PATCH_BYTES: usize = limits::ARTIFACT_BYTES as usize;
const FILES_MAX: usize = 2_000;
const TOO_LARGE_MAX: usize = 20;
const LEFT_OUT_MAX: usize = 20;

/// What changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// The changes, as `git diff` writes them, to the byte.
    pub bytes: Vec<u8>,
    /// Whether there was more.
    pub was_cut: bool,
    /// The files that changed, by name.
    pub files: Vec<ChangedFile>,
    /// How many more files there are than are listed.
    pub files_left_out: usize,
    /// Files that changed and are not looked into, the first of them.
    pub too_large: Vec<String>,
    /// Repositories inside this one and files that cannot be read, which are new or different, the first of them. Their
    /// content is not in the diff.
    pub left_out: Vec<String>,
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

/// What a diff is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To be looked at. Binary files are only named.
    Show,
    /// To be applied. Binary files are in it.
    Apply,
}

impl Diff {
    /// The changes as text. Bytes that are not UTF-8 are replaced.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }

    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

impl Workspace {
    /// What changed from one snapshot to another.
    pub fn diff(&self, before: &Snapshot, after: &Snapshot) -> Result<Diff, GitError> {
        self.diff_for(Purpose::Show, before, after)
    }

    /// The same for a purpose.
    pub(super) fn diff_for(&self, purpose: Purpose, before: &Snapshot, after: &Snapshot) -> Result<Diff, GitError> {
        let git = || {
            let plain = ["diff-tree", "-r", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"];
            self.git().args(plain)
        };
        let trees = [&before.tree, &after.tree];
        let listed = git().args(["--raw", "--numstat", "-z"]).args(trees).whole()?;
        let mut files = listed_files(&listed);
        let new = after.left_out.difference(&before.left_out).cloned();
        let left_out: BTreeSet<PathBuf> = new.chain(linked_repositories(&listed)).collect();
        let left_out = left_out.iter().take(LEFT_OUT_MAX).map(|file| file.to_string_lossy().into_owned()).collect();
        let large = self.large_files(before, after);
        let too_large = large.iter().take(TOO_LARGE_MAX).map(|(file, _)| file.to_string_lossy().into_owned()).collect();
        for (file, change) in large {
            let change = ChangedFile { path: file.to_string_lossy().into_owned(), change, is_opaque: true };
            files.insert(file, change);
        }
        let patch = git().args(["--patch", "--src-prefix=a/", "--dst-prefix=b/"]);
        let mut patch = match purpose {
            Purpose::Show => patch.args(trees).up_to(DIFF_BYTES)?,
            Purpose::Apply => patch.args(["--binary", "--full-index"]).args(trees).up_to(PATCH_BYTES)?,
        };
        if patch.was_cut {
            // All that is left to do with it is to look at it.
            patch.bytes.truncate(DIFF_BYTES);
        }
        let files_left_out = files.len().saturating_sub(FILES_MAX);
        Ok(Diff {
            bytes: patch.bytes,
            was_cut: patch.was_cut,
            files: files.into_values().take(FILES_MAX).collect(),
            files_left_out,
            too_large,
            left_out,
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

/// Repositories inside this one that the tree has as a link to one of their commits, and that are new or at another commit.
fn linked_repositories(listed: &[u8]) -> Vec<PathBuf> {
    let (mut found, mut fields) = (Vec::new(), fields(listed));
    while let Some(field) = fields.next() {
        if field.starts_with(b":") {
            let Some(name) = fields.next() else { break };
            if field.split(|byte| *byte == b' ').nth(1) == Some(b"160000") {
                found.push(path(name).to_owned());
            }
        }
    }
    found
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
