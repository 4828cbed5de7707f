//! The artifacts of a handoff: whether each is where the handoff says.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Read},
    path::Path,
};

use baton_core::{
    handoff::{Artifact, Handoff},
    tree::{FileState, Files, MissingArtifact},
};

use crate::packs::Workspace;

/// Lines beyond this are taken for there: counting further would cost more than it tells.
const COUNTED_BYTES: u64 = 8 * 1024 * 1024;

/// The artifacts that are not there. Those outside the workspace are not looked for, and one that `dirty` has as deleted
/// points to its removal.
pub(super) fn missing(workspace: &Workspace, handoff: &Handoff, dirty: &Files) -> Vec<MissingArtifact> {
    handoff.artifacts.iter().filter_map(|artifact| looked_for(workspace, artifact, dirty)).collect()
}

fn looked_for(workspace: &Workspace, artifact: &Artifact, dirty: &Files) -> Option<MissingArtifact> {
    let path = workspace.relative(&artifact.path)?;
    if dirty.0.get(&path).is_some_and(FileState::is_deleted) {
        return None;
    }
    let missing = |file_lines| MissingArtifact { path: artifact.path.clone(), lines: artifact.lines, file_lines };
    let Some(found) = workspace.inside(&path) else { return Some(missing(None)) };
    let [_, last] = artifact.lines?;
    let has = lines_up_to(&found, last)?;
    (has < last).then(|| missing(Some(has)))
}

/// How many lines a file has, counted as far as `last`. Nothing, if that is more than is counted.
fn lines_up_to(path: &Path, last: u32) -> Option<u32> {
    // Opening a pipe would wait for its other end.
    if !fs::metadata(path).ok()?.is_file() {
        return Some(0);
    }
    let mut reader = BufReader::new(File::open(path).ok()?.take(COUNTED_BYTES));
    let (mut lines, mut line, mut bytes) = (0, Vec::new(), 0);
    while lines < last {
        line.clear();
        match reader.read_until(b'\n', &mut line).ok()? {
            0 => break,
            read => bytes += read as u64,
        }
        lines += 1;
    }
    (lines >= last || bytes < COUNTED_BYTES).then_some(lines)
}
