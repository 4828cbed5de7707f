//! A workspace's files at a moment, within bounds.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FileState, Files, MissingArtifact};
use crate::{limits, redact::redact};

/// The commit that is checked out, and the files that are not as it has them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tree {
    /// The commit, once there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// Changed, added, deleted and untracked files, the first of them by path.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub dirty: Files,
    /// How many more there are, behind the last of these.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: u64,
}

/// The tree as a handoff leaves it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// The files.
    #[serde(flatten)]
    pub tree: Tree,
    /// Artifacts of the handoff that are not there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_artifacts: Vec<MissingArtifact>,
}

/// Bytes of a stored file besides its path: a digest and the names of fields.
const ENTRY_BYTES: usize = 96;

/// As many paths as a record holds, in their order, and how many more there are. A path that looks like a secret is not
/// stored, and never counts: it would be changed on the way, and compared with another one.
pub fn fitting(mut paths: BTreeSet<String>) -> (Vec<String>, u64) {
    paths.retain(|path| path.len() <= limits::PATH_BYTES && redact(path) == path.as_str());
    let mut bytes = 0;
    let fits = |path: &&String| {
        // Control characters take six bytes each in JSON.
        bytes += serde_json::to_string(path).map_or(path.len(), |json| json.len()) + ENTRY_BYTES;
        bytes <= limits::TREE_BYTES
    };
    let kept: Vec<String> = paths.iter().take(limits::TREE_FILES).take_while(fits).cloned().collect();
    let more = (paths.len() - kept.len()) as u64;
    (kept, more)
}

impl Tree {
    /// Whether a file that is not in `dirty` is known to be as it was committed.
    pub(super) fn covers(&self, path: &str) -> bool {
        self.more == 0 || self.dirty.0.last_key_value().is_some_and(|(last, _)| path <= last.as_str())
    }

    /// The files that differ between an earlier look and this one, by path. Files beyond the bounds of either are left out.
    pub fn changed_since(&self, earlier: &Self) -> Vec<String> {
        let state = |files: &BTreeMap<String, FileState>, path: &str| files.get(path).cloned();
        let paths: BTreeSet<&String> = self.dirty.0.keys().chain(earlier.dirty.0.keys()).collect();
        let known = paths.into_iter().filter(|path| self.covers(path) && earlier.covers(path));
        known.filter(|path| state(&self.dirty.0, path) != state(&earlier.dirty.0, path)).cloned().collect()
    }
}

fn is_empty(files: &Files) -> bool {
    files.0.is_empty()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)], more: u64) -> Tree {
        let state = |(path, text): &(&str, &str)| ((*path).to_owned(), FileState::content(text.as_bytes()));
        Tree { head: None, dirty: Files(files.iter().map(state).collect()), more }
    }

    #[test]
    fn a_record_takes_the_first_paths_and_counts_the_rest() {
        let paths: BTreeSet<String> = (0..2_000).map(|number| format!("f{number:04}")).collect();
        let (kept, more) = fitting(paths);
        assert_eq!((kept.len(), more), (limits::TREE_FILES, 1_500));
        assert_eq!(kept.first().map(String::as_str), Some("f0000"));
        let long: BTreeSet<String> = (0..100).map(|number| format!("{number:04}{}", "\u{1}".repeat(1_000))).collect();
        let (kept, more) = fitting(long);
        assert!(kept.len() < 11 && kept.len() as u64 + more == 100, "{}", kept.len());
    }

    #[test]
    fn a_path_that_looks_like_a_secret_is_not_recorded() {
        let key: String = "ghp_".chars().chain("a1B2c3D4".chars().cycle().take(24)).collect();
        assert_eq!(fitting([format!("keys/{key}"), "token".to_owned()].into()), (vec!["token".to_owned()], 0));
    }

    #[test]
    fn a_record_is_read_back_as_it_was_stored_and_files_called_like_secrets_keep_their_digests() {
        let record =
            Record { tree: tree(&[("a\n\u{1b}[2J", "1"), ("api_key", "2"), ("token", "3")], 7), ..Record::default() };
        let stored = serde_json::to_value(&record).unwrap();
        assert_eq!(serde_json::from_value::<Record>(stored).unwrap(), record);
        assert_eq!(crate::redact::redacted(&record), Some(record));
    }

    #[test]
    fn two_looks_differ_in_files_that_came_went_or_changed_and_nowhere_beyond_their_bounds() {
        let before = tree(&[("a", "1"), ("b", "1"), ("c", "1")], 0);
        let after = tree(&[("b", "2"), ("c", "1"), ("d", "1")], 0);
        assert_eq!(after.changed_since(&before), ["a", "b", "d"]);
        assert_eq!(after.changed_since(&Tree { more: 1, ..before }), ["a", "b"]);
    }
}
