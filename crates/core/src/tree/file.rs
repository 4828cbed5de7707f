//! A file's content, as far as two looks at it can be compared.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The content of a file: `sha256:…`, of a large one `size:… modified:…`, of a link `link:…`, or `directory`, `other`,
/// `deleted`. Two that are equal are taken for the same content.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct FileState(String);

impl FileState {
    /// The digest of what is in a file.
    pub fn content(bytes: &[u8]) -> Self {
        Self(format!("sha256:{}", hex(bytes)))
    }

    /// A file that is too large to be read, by its size and the time of its last change in milliseconds.
    pub fn large(bytes: u64, modified_ms: u128) -> Self {
        Self(format!("size:{bytes} modified:{modified_ms}"))
    }

    /// A symbolic link, by where it leads.
    pub fn link(target: &[u8]) -> Self {
        Self(format!("link:{}", hex(target)))
    }

    /// A directory that git lists as one entry: a repository of its own, or a submodule.
    pub fn directory() -> Self {
        Self("directory".to_owned())
    }

    /// Something that cannot be read: a pipe, a device, a file without permission.
    pub fn other() -> Self {
        Self("other".to_owned())
    }

    /// No file.
    pub fn deleted() -> Self {
        Self("deleted".to_owned())
    }

    /// Whether there is no file.
    pub fn is_deleted(&self) -> bool {
        self.0 == "deleted"
    }
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Files by their paths from the room's root.
///
/// They are stored as a list: in an object, a file called `token` would be a field of that name, and redacted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Vec<Entry>", into = "Vec<Entry>")]
#[schemars(with = "Vec<Entry>")]
pub struct Files(pub BTreeMap<String, FileState>);

/// A file as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TreeFile")]
struct Entry {
    /// From the room's root.
    path: String,
    /// What was in it.
    state: FileState,
}

impl From<Vec<Entry>> for Files {
    fn from(entries: Vec<Entry>) -> Self {
        Self(entries.into_iter().map(|entry| (entry.path, entry.state)).collect())
    }
}

impl From<Files> for Vec<Entry> {
    fn from(files: Files) -> Self {
        files.0.into_iter().map(|(path, state)| Entry { path, state }).collect()
    }
}
