//! The context pack: what an agent needs to know, small enough to be read at every turn.
//!
//! Fields are written in the contract's order and spelling. What Baton adds to them is left out when there is nothing to
//! say. A pack is named by its content, so the same facts give the same pack wherever it is built.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{Mode, tokens::tokens};
use crate::{handoff::ArtifactRole, time::Timestamp};

/// What an agent needs to know.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ContextPack {
    /// Made from the rest of the pack.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub pack_id: String,
    /// The room.
    pub run_id: String,
    /// The agent that it is for.
    pub node_id: String,
    /// When the newest of its facts came to be.
    #[serde(serialize_with = "short_time")]
    pub created_at: Timestamp,
    /// What is wanted.
    pub goal: Option<String>,
    /// By what it is known to be done.
    pub definition_of_done: Vec<String>,
    /// Whether it is being planned or done.
    pub global_mode: Option<Mode>,
    /// How the agent works: `AUTO`.
    pub node_mode: String,
    /// Where the documents are.
    pub docs_root: Option<String>,
    /// Passages of documents.
    pub doc_refs: Vec<DocRef>,
    /// What is known of the repository.
    pub repo_facts: RepoFacts,
    /// Files to know, the most pressing first.
    pub relevant_files: Vec<RelevantFile>,
    /// What the agent was sent, oldest first.
    pub inputs: Vec<Input>,
    /// What work left behind, oldest first.
    pub artifacts: Vec<PackArtifact>,
    /// What work must keep to, by name.
    pub constraints: BTreeMap<String, Value>,
    /// What is undecided, the oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open_questions: Vec<Remark>,
    /// What is off-limits, the oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub do_not: Vec<Remark>,
    /// What there was no room for.
    #[serde(skip_serializing_if = "Cut::is_empty")]
    pub cut: Cut,
}

/// A passage of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DocRef {
    /// Which document, from the root of the workspace.
    pub path: String,
    /// How it begins.
    pub excerpt: String,
}

/// What is known of a repository.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct RepoFacts {
    /// What most of it is written in.
    pub language: Option<String>,
    /// What gets its dependencies.
    pub package_manager: Option<String>,
    /// The branch that is checked out.
    pub branch: Option<String>,
    /// The commit that is checked out.
    pub head: Option<String>,
    /// What was changed since.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dirty_files: Vec<String>,
}

/// A file to know.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RelevantFile {
    /// Which, from the root of the workspace.
    pub path: String,
    /// What it is, or why it matters.
    pub summary: Option<String>,
    /// What to do with it.
    pub role: Option<ArtifactRole>,
}

/// Something that the agent was sent.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(rename = "PackInput")]
pub struct Input {
    /// Its id, to open it with.
    pub payload_id: String,
    /// Who sent it.
    pub from: Option<String>,
    /// What it says, in short.
    pub message: Option<String>,
}

/// A file that work left behind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PackArtifact {
    /// What to open it with.
    pub id: String,
    /// What sort of file.
    pub kind: String,
}

/// A sentence, and whose it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Remark {
    /// What was said.
    pub text: String,
    /// By whom.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub from: String,
}

/// How many entries there was no room for, by the list they are missing from, and where the rest is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Cut {
    /// Documents.
    #[serde(skip_serializing_if = "is_zero")]
    pub doc_refs: u32,
    /// Documents that are named with less of their passage, or none.
    #[serde(skip_serializing_if = "is_zero")]
    pub excerpts: u32,
    /// Files that are named without their summary.
    #[serde(skip_serializing_if = "is_zero")]
    pub summaries: u32,
    /// Changed files.
    #[serde(skip_serializing_if = "is_zero")]
    pub dirty_files: u32,
    /// Files.
    #[serde(skip_serializing_if = "is_zero")]
    pub relevant_files: u32,
    /// Artifacts.
    #[serde(skip_serializing_if = "is_zero")]
    pub artifacts: u32,
    /// Inputs that are named without what they say.
    #[serde(skip_serializing_if = "is_zero")]
    pub messages: u32,
    /// Inputs.
    #[serde(skip_serializing_if = "is_zero")]
    pub inputs: u32,
    /// Texts of the goal, the definition of done, constraints, questions and what is off-limits that were shortened.
    #[serde(skip_serializing_if = "is_zero")]
    pub texts: u32,
    /// Questions.
    #[serde(skip_serializing_if = "is_zero")]
    pub open_questions: u32,
    /// Entries of what is off-limits.
    #[serde(skip_serializing_if = "is_zero")]
    pub do_not: u32,
    /// Entries of the definition of done.
    #[serde(skip_serializing_if = "is_zero")]
    pub definition_of_done: u32,
    /// Constraints.
    #[serde(skip_serializing_if = "is_zero")]
    pub constraints: u32,
    /// Where the rest is, by what was cut: a field of the entries that are left, or a command.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub rest: BTreeMap<String, String>,
    /// References to the packs that this one was made of, while it is made: they have the texts in full.
    #[serde(skip)]
    pub(super) sources: Vec<String>,
}

impl Cut {
    /// Whether nothing was.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl ContextPack {
    /// How the agent works when nothing else is said.
    pub const AUTO: &str = "AUTO";

    /// The pack as it is stored.
    pub fn to_json(&self) -> String {
        // Maps have text for keys and there is nothing else that JSON cannot say.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The tokens of the pack as it is stored.
    pub fn tokens(&self) -> u32 {
        tokens(&self.to_json())
    }

    /// The id that its content gives it: the beginning of the hash of all but the id, written as a UUID.
    pub fn content_id(&self) -> String {
        let unnamed = Self { pack_id: String::new(), ..self.clone() };
        let digest = Sha256::digest(unnamed.to_json());
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        // Version 8: made in a way of one's own.
        bytes[6] = bytes[6] & 0x0f | 0x80;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
    }

    /// This pack under the id that its content gives it.
    #[must_use]
    pub fn name(self) -> Self {
        Self { pack_id: self.content_id(), ..self }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// A time as the contract writes it: without a fraction that says nothing.
fn short_time<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    let text = at.to_string();
    match text.strip_suffix(".000Z") {
        Some(seconds) => serializer.collect_str(&format_args!("{seconds}Z")),
        None => serializer.serialize_str(&text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTRACT: &str = r#"{
  "packId": "uuid",
  "runId": "run-123",
  "nodeId": "node-abc",
  "createdAt": "2026-01-01T00:00:00Z",
  "goal": "Implement feature X",
  "definitionOfDone": ["criteria1", "criteria2"],
  "globalMode": "IMPLEMENTATION",
  "nodeMode": "AUTO",
  "docsRoot": "/docs",
  "docRefs": [
    { "path": "docs/PLAN.md", "excerpt": "..." }
  ],
  "repoFacts": {
    "language": "typescript",
    "packageManager": "pnpm"
  },
  "relevantFiles": [
    { "path": "src/foo.ts", "summary": "entry point" }
  ],
  "inputs": [
    { "payloadId": "payload-uuid" }
  ],
  "artifacts": [
    { "id": "artifact-123", "kind": "diff" }
  ],
  "constraints": {
    "noNewDependencies": true
  }
}"#;

    #[test]
    fn the_contracts_example_comes_back_byte_for_byte() {
        let compact = serde_json::from_str::<Value>(CONTRACT).unwrap().to_string();
        let pack: ContextPack = serde_json::from_str(CONTRACT).unwrap();
        assert_eq!(pack.to_json(), compact);
    }

    #[test]
    fn a_pack_is_named_by_its_content_whatever_it_was_called_before() {
        let pack: ContextPack = serde_json::from_str(CONTRACT).unwrap();
        let named = pack.clone().name();
        assert_eq!(named.clone().name(), named);
        assert_ne!(ContextPack { goal: None, ..pack }.content_id(), named.pack_id);
        let dashes: Vec<usize> = named.pack_id.match_indices('-').map(|(at, _)| at).collect();
        assert_eq!((named.pack_id.len(), dashes), (36, vec![8, 13, 18, 23]));
    }

    #[test]
    fn a_pack_of_a_later_version_is_read_and_a_fraction_of_a_second_is_kept() {
        let pack: ContextPack =
            serde_json::from_str(r#"{"createdAt":"2026-01-01T00:00:00.250Z","mood":"good"}"#).unwrap();
        assert!(pack.to_json().contains(r#""createdAt":"2026-01-01T00:00:00.250Z""#));
    }
}
