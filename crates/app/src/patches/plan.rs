//! What a patch makes of a working tree, before anything is written.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    fs::{self, Metadata},
    os::unix::{ffi::OsStrExt, fs::MetadataExt},
    path::{Path, PathBuf},
};

use baton_core::code::ErrorCode;

use super::{
    Repository,
    repository::{Objects, not_written},
};
use crate::Failure;

/// The most files that one patch may change.
const FILES_MAX: usize = 20_000;
/// The most files that a refusal names.
const NAMED: usize = 20;
const SUBMODULE: &str = "160000";
/// The modes of regular files, which can be merged.
const REGULAR: [&str; 2] = ["100644", "100755"];

/// A file in a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Blob {
    mode: String,
    id: String,
}

/// Files by their paths, each as it is on either side.
type Differences = BTreeMap<PathBuf, (Option<Blob>, Option<Blob>)>;

/// A file that a patch changes in a working tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedFile {
    /// Below the top of the working tree.
    pub path: PathBuf,
    /// Whether it is removed.
    pub is_removed: bool,
    /// How it is now; nothing, where there is no file.
    pub(super) found: Option<Found>,
}

/// A file as it was looked at. A file that was written since has another time, size or number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    mode: u32,
}

impl Found {
    pub(super) fn of(about: &Metadata) -> Self {
        Self {
            inode: about.ino(),
            bytes: about.len(),
            modified: (about.mtime(), about.mtime_nsec()),
            mode: about.mode(),
        }
    }
}

/// What a patch makes of a working tree.
#[derive(Debug)]
pub struct Plan<'a> {
    pub(super) repository: &'a Repository,
    /// The commit that the working tree is at.
    pub head: String,
    /// Every file that the patch changes, also those that are already as it makes them.
    pub touched: Vec<PathBuf>,
    /// The files that become different.
    pub files: Vec<PlannedFile>,
}

impl Repository {
    /// Plans `patch`, which was made against `base`, onto the working tree. It is refused as a whole where both sides changed
    /// something in different ways, and where files are in the way that are not committed.
    pub fn plan(&self, base: &str, patch: &[u8]) -> Result<Plan<'_>, Failure> {
        let head = self.head()?;
        let Some(base) = self.commit(base)? else {
            let message = format!("The commit {base}, which the patch was made against, is not in the workspace.");
            let next = "Fetch it into the workspace, or send the job back so that it begins at the present commit.";
            return Err(Failure::new(ErrorCode::PatchUnusable, message).with("base", base).advising(next));
        };
        let patched = self.patched(&base, patch, Objects::Scratch)?;
        let theirs = self.differences(&base, &patched)?;
        if theirs.len() > FILES_MAX {
            let message = format!("The patch changes {} files; {FILES_MAX} are the most.", theirs.len());
            return Err(Failure::new(ErrorCode::PatchUnusable, message));
        }
        let ours = self.differences(&base, &head)?;
        let (mut results, mut conflicts) = (BTreeMap::new(), Vec::new());
        for (path, (before, after)) in &theirs {
            let now = ours.get(path).map_or(before, |(_, now)| now);
            match self.merged(before.as_ref(), after.as_ref(), now.as_ref())? {
                Some(result) => {
                    results.insert(path.clone(), (now.clone(), result));
                }
                None => conflicts.push(path.clone()),
            }
        }
        if !conflicts.is_empty() {
            let message = "The patch and the workspace changed the same lines, or the same file in different ways.";
            return Err(conflict(message, &conflicts).with("base", base).with("head", head));
        }
        self.result(&head, &results)?;
        let files = self.find_files(&head, &results)?;
        Ok(Plan { repository: self, head, touched: theirs.into_keys().collect(), files })
    }

    /// What became of one file: the side that changed it, or both in one. Nothing, where they disagree.
    fn merged(
        &self,
        before: Option<&Blob>,
        theirs: Option<&Blob>,
        ours: Option<&Blob>,
    ) -> Result<Option<Option<Blob>>, Failure> {
        if ours == before || ours == theirs {
            let is_submodule = theirs.is_some_and(|blob| blob.mode == SUBMODULE) && ours != theirs;
            return Ok(if is_submodule { None } else { Some(theirs.cloned()) });
        }
        if theirs == before {
            return Ok(Some(ours.cloned()));
        }
        let (Some(before), Some(theirs), Some(ours)) = (before, theirs, ours) else { return Ok(None) };
        let all_regular = [before, theirs, ours].iter().all(|blob| REGULAR.contains(&blob.mode.as_str()));
        let mode = match () {
            () if theirs.mode == ours.mode || ours.mode == before.mode => &theirs.mode,
            () if theirs.mode == before.mode => &ours.mode,
            () => return Ok(None),
        };
        let id = match () {
            () if theirs.id == ours.id || ours.id == before.id => Some(theirs.id.clone()),
            () if theirs.id == before.id => Some(ours.id.clone()),
            () if all_regular => self.merged_content(before, theirs, ours)?,
            () => None,
        };
        Ok(id.map(|id| Some(Blob { mode: mode.clone(), id })))
    }

    /// The content that has the changes of both sides. Nothing, where they meet or one of them is binary.
    fn merged_content(&self, before: &Blob, theirs: &Blob, ours: &Blob) -> Result<Option<String>, Failure> {
        let sides = [("ours", ours), ("before", before), ("theirs", theirs)];
        for (name, blob) in sides {
            let content = self.git(Objects::Scratch).args(["cat-file", "blob", &blob.id]).output()?;
            fs::write(self.scratch(name), content).map_err(not_written)?;
        }
        let files = sides.map(|(name, _)| self.scratch(name));
        let merge = ["merge-file", "--stdout", "--quiet", "--no-diff3"];
        let answer = self.git(Objects::Scratch).args(merge).args(files).run()?;
        if !answer.status.success() {
            return Ok(None);
        }
        let hash = ["hash-object", "-w", "--stdin", "--no-filters"];
        self.git(Objects::Scratch).args(hash).input(answer.stdout).line().map(Some)
    }

    /// The files that differ between two trees, each as it is in both.
    fn differences(&self, one: &str, other: &str) -> Result<Differences, Failure> {
        let words = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--end-of-options", one, other];
        let listed = self.git(Objects::Scratch).args(words).output()?;
        Ok(read_differences(&listed))
    }

    /// Makes the scratch index the tree of `head` with the results. A path that is a file here and a directory there is refused.
    fn result(&self, head: &str, results: &Differences) -> Result<(), Failure> {
        self.git(Objects::Scratch).args(["read-tree", "--end-of-options", head]).output()?;
        self.put(results.iter().map(|(path, (_, result))| (path.as_path(), result.as_ref())))?;
        let tree = self.git(Objects::Scratch).args(["write-tree"]).line()?;
        // A file that takes the place of a directory, or the other way round, takes others with it.
        let lost: Vec<PathBuf> =
            self.differences(head, &tree)?.into_keys().filter(|path| !results.contains_key(path)).collect();
        if lost.is_empty() {
            return Ok(());
        }
        Err(conflict("A file of the patch is a directory in the workspace, or the other way round.", &lost))
    }

    /// Sets entries of the scratch index.
    fn put<'b>(&self, entries: impl Iterator<Item = (&'b Path, Option<&'b Blob>)>) -> Result<(), Failure> {
        let (mut gone, mut there) = (Vec::new(), Vec::new());
        for (path, blob) in entries {
            let line = match blob {
                Some(blob) => format!("{} {}\t", blob.mode, blob.id),
                None => format!("0 {}\t", "0".repeat(self.id_digits)),
            };
            let lines = if blob.is_some() { &mut there } else { &mut gone };
            lines.extend_from_slice(line.as_bytes());
            lines.extend_from_slice(path.as_os_str().as_bytes());
            lines.push(0);
        }
        // Removals first: a directory may make way for a file, and a file for a directory.
        gone.append(&mut there);
        let answer = self.git(Objects::Scratch).args(["update-index", "-z", "--index-info"]).input(gone).run()?;
        if answer.status.success() {
            return Ok(());
        }
        let said = answer.stderr.trim().lines().last().unwrap_or_default().to_owned();
        Err(Failure::new(ErrorCode::PatchConflict, format!("The patch does not fit the workspace: {said}")))
    }

    /// The files of the working tree that become different. Ones that are neither as they are committed nor as the patch makes
    /// them are in the way.
    fn find_files(&self, head: &str, results: &Differences) -> Result<Vec<PlannedFile>, Failure> {
        let (mut found, mut present, mut in_the_way) = (BTreeMap::new(), Vec::new(), Vec::new());
        let removed: BTreeSet<&Path> =
            results.iter().filter(|(_, (_, result))| result.is_none()).map(|(path, _)| path.as_path()).collect();
        for (path, (_, result)) in results {
            if !self.is_below_directories(path, &removed) {
                // A file that goes is gone already where there is no directory for it.
                in_the_way.extend(result.as_ref().map(|_| path.clone()));
                continue;
            }
            match self.top.join(path).symlink_metadata() {
                Ok(about) if about.is_file() || about.is_symlink() => {
                    found.insert(path.clone(), Found::of(&about));
                    present.extend_from_slice(path.as_os_str().as_bytes());
                    present.push(0);
                }
                // One that holds nothing else goes with what is removed from it; any other stops the placing.
                Ok(about) if about.is_dir() => {}
                Ok(_) => in_the_way.push(path.clone()),
                Err(_) => {}
            }
        }
        let actual = self.actual(head, results, &found, present)?;
        let mut files = Vec::new();
        for (path, (committed, result)) in results {
            let now = actual.get(path).map_or(committed, |(_, now)| now);
            if now == result {
                continue;
            }
            if now != committed {
                in_the_way.push(path.clone());
                continue;
            }
            let found = found.get(path).copied();
            files.push(PlannedFile { path: path.clone(), is_removed: result.is_none(), found });
        }
        if !in_the_way.is_empty() {
            in_the_way.sort();
            in_the_way.dedup();
            let message = "Files that the patch changes have changes in the workspace that are not committed.";
            return Err(conflict(message, &in_the_way).advising(
                "Commit them, or set them aside with `git stash`, then try again; or make a branch with `jobs branch`.",
            ));
        }
        Ok(files)
    }

    /// The files of the working tree that differ from `head`, of those that the results are about.
    fn actual(
        &self,
        head: &str,
        results: &Differences,
        found: &BTreeMap<PathBuf, Found>,
        present: Vec<u8>,
    ) -> Result<Differences, Failure> {
        let result = self.scratch("result");
        let index = self.scratch("index");
        // The index of the result is needed again, for the files that are written.
        fs::rename(&index, &result).map_err(not_written)?;
        self.git(Objects::Scratch).args(["read-tree", "--end-of-options", head]).output()?;
        let absent = results.keys().filter(|path| !found.contains_key(*path));
        self.put(absent.map(|path| (path.as_path(), None)))?;
        let update = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
        self.git(Objects::Scratch).args(update).input(present).output()?;
        let tree = self.git(Objects::Scratch).args(["write-tree"]).line()?;
        fs::rename(&result, &index).map_err(not_written)?;
        self.differences(head, &tree)
    }

    /// Whether everything above a path is a directory of the working tree, or is removed by the patch, or is not there.
    fn is_below_directories(&self, path: &Path, removed: &BTreeSet<&Path>) -> bool {
        let above = path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
        above.filter(|above| !removed.contains(above)).all(|above| {
            let about = self.top.join(above).symlink_metadata();
            about.map_or(true, |about| about.is_dir())
        })
    }
}

impl Plan<'_> {
    /// Refuses a patch that changes files outside `directory`, which is all that the caller may be entrusted with.
    pub fn require_below(&self, directory: &Path) -> Result<(), Failure> {
        let outside: Vec<PathBuf> = self
            .touched
            .iter()
            .filter(|path| !self.repository.top.join(path).starts_with(directory))
            .cloned()
            .collect();
        if outside.is_empty() {
            return Ok(());
        }
        let message = "The patch changes files outside the room's workspace.";
        Err(conflict(message, &outside).advising("Make a branch of it with `jobs branch`, and merge that by hand."))
    }

    /// The paths that the patch changes, as the room's scopes have them: absolute.
    pub fn paths(&self) -> Vec<String> {
        self.touched.iter().map(|path| self.repository.top.join(path).to_string_lossy().into_owned()).collect()
    }
}

/// `:MODE MODE ID ID LETTER` and a path for each file.
fn read_differences(listed: &[u8]) -> Differences {
    let mut found = BTreeMap::new();
    let mut fields = listed.split(|byte| *byte == 0);
    while let Some(about) = fields.next() {
        let Some(about) = about.strip_prefix(b":") else { continue };
        let Some(path) = fields.next() else { break };
        let about = String::from_utf8_lossy(about);
        let words: Vec<&str> = about.split(' ').collect();
        let [mode, new_mode, id, new_id, _] = words[..] else { continue };
        let blob = |mode: &str, id: &str| (mode != "000000").then(|| Blob { mode: mode.to_owned(), id: id.to_owned() });
        found.insert(PathBuf::from(OsStr::from_bytes(path)), (blob(mode, id), blob(new_mode, new_id)));
    }
    found
}

pub(super) fn conflict(message: &str, files: &[PathBuf]) -> Failure {
    let named: Vec<String> = files.iter().take(NAMED).map(|path| path.to_string_lossy().into_owned()).collect();
    let more = files.len().saturating_sub(NAMED);
    let failure = Failure::new(ErrorCode::PatchConflict, message).with("files", named);
    if more > 0 { failure.with("more_files", more as u64) } else { failure }
}
