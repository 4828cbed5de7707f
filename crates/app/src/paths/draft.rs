//! What changed in a workspace since a turn began, as a draft for the handoff's artifacts.

use std::{fs::File, io::Read, path::Path};

use baton_core::{
    handoff::{Artifact, ArtifactRole},
    limits,
    time::Timestamp,
};

use super::{
    git::{must_have_working_tree, run, text},
    hunks,
};
use crate::Failure;

/// What differs from the last commit before `since`: committed meanwhile or not, untracked files included,
/// ignored ones not. Paths are relative to `root`.
///
/// A commit's time has whole seconds, so one made in the second in which `since` lies counts as made before.
pub fn draft_artifacts(root: &Path, since: Timestamp) -> Result<Vec<Artifact>, Failure> {
    must_have_working_tree(root)?;
    let base = base_commit(root, since)?;
    let mut changes = tracked_changes(root, &base)?;
    changes.extend(untracked_files(root)?);
    Ok(fitted(changes))
}

/// A file that differs, and where.
struct Change {
    path: String,
    note: Option<&'static str>,
    places: Vec<[u32; 2]>,
}

/// The last commit before `since` on the way back from HEAD, or the empty tree where there is none.
fn base_commit(root: &Path, since: Timestamp) -> Result<String, Failure> {
    let has_commits = run(root, &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).is_ok();
    if has_commits {
        let seconds = since.as_millis().div_euclid(1000).max(0);
        let age = format!("--min-age={seconds}");
        let commit = text(&run(root, &["rev-list", "-1", "--first-parent", &age, "HEAD"])?);
        if !commit.is_empty() {
            return Ok(commit);
        }
    }
    // Depends on the repository's hash function, so git makes it.
    Ok(text(&run(root, &["hash-object", "-t", "tree", "/dev/null"])?))
}

fn tracked_changes(root: &Path, base: &str) -> Result<Vec<Change>, Failure> {
    const DIFF: [&str; 7] = [
        "diff",
        "--no-ext-diff",
        "--no-textconv",
        "--no-renames",
        "--no-color",
        "--relative",
        "--ignore-submodules=dirty",
    ];
    let names = run(root, &[&DIFF[..], &["--name-status", "-z", base, "--"]].concat())?;
    let shape = ["-U0", "--inter-hunk-context=0", "--submodule=short", "--src-prefix=a/", "--dst-prefix=b/"];
    let diff = run(root, &[&DIFF[..], &shape, &[base, "--"]].concat())?;
    let mut places = hunks::parse(&diff);
    let fields: Vec<&[u8]> = names.split(|byte| *byte == 0).collect();
    let changes = fields.chunks_exact(2).map(|pair| {
        let path = String::from_utf8_lossy(pair[1]).into_owned();
        match pair[0] {
            b"D" => Change { path, note: Some("deleted"), places: Vec::new() },
            status => {
                let places = places.remove(&path).unwrap_or_default();
                Change { path, note: (status == b"A").then_some("new file"), places }
            }
        }
    });
    Ok(changes.collect())
}

fn untracked_files(root: &Path) -> Result<Vec<Change>, Failure> {
    let names = run(root, &["ls-files", "--others", "--exclude-standard", "-z"])?;
    let paths = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let changes = paths.enumerate().map(|(index, name)| {
        // A repository inside this one is listed as a directory.
        let path = String::from_utf8_lossy(name).trim_end_matches('/').to_owned();
        // What will not be listed need not be read.
        let lines = if index < limits::HANDOFF_ARTIFACTS { line_count(&root.join(&path)) } else { None };
        Change { places: lines.map(|last| [1, last]).into_iter().collect(), path, note: Some("new file") }
    });
    Ok(changes.collect())
}

/// The number of lines of a text file of reasonable size.
fn line_count(path: &Path) -> Option<u32> {
    const READ_BYTES: u64 = 1024 * 1024;
    let metadata = path.symlink_metadata().ok()?;
    if !metadata.is_file() || metadata.len() > READ_BYTES {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(READ_BYTES).read_to_end(&mut bytes).ok()?;
    if bytes.is_empty() || bytes.contains(&0) {
        return None;
    }
    let ends = bytes.iter().filter(|byte| **byte == b'\n').count();
    u32::try_from(ends + usize::from(bytes.last() != Some(&b'\n'))).ok()
}

/// As many artifacts as a handoff takes: places first, then files; what is left out is said.
fn fitted(mut changes: Vec<Change>) -> Vec<Artifact> {
    changes.retain(|change| change.path.len() <= limits::ARTIFACT_PATH_BYTES);
    let all_places: usize = changes.iter().map(|change| change.places.len().max(1)).sum();
    if all_places > limits::HANDOFF_ARTIFACTS {
        for change in &mut changes {
            if let (Some([first, _]), Some([_, last])) = (change.places.first(), change.places.last()) {
                change.places = vec![[*first, *last]];
            }
        }
    }
    let left_out = changes.len().saturating_sub(limits::HANDOFF_ARTIFACTS);
    changes.truncate(limits::HANDOFF_ARTIFACTS);
    let mut artifacts: Vec<Artifact> = changes.into_iter().flat_map(artifacts_of).collect();
    if let Some(last) = artifacts.last_mut()
        && left_out > 0
    {
        last.note = Some(format!("{left_out} more files changed; `git status` and `git log` list them"));
    }
    artifacts
}

fn artifacts_of(change: Change) -> Vec<Artifact> {
    let Change { path, note, places } = change;
    let artifact =
        |lines| Artifact { path: path.clone(), lines, role: ArtifactRole::Review, note: note.map(str::to_owned) };
    if places.is_empty() { vec![artifact(None)] } else { places.into_iter().map(|p| artifact(Some(p))).collect() }
}
