//! Edits without a turn: files that changed while nobody who may edit them did.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::decide::quoted;
use crate::{
    agent::Presence,
    ids::{AgentId, Seq},
    tree::Files,
};

/// Files of the workspace changed without a turn.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Edited {
    /// Who ran something without the stick while they changed, where that is known.
    pub by: Option<AgentId>,
    /// What they are called.
    pub by_agent: Option<String>,
    /// The files as they were found, from the room's root.
    #[serde(default)]
    pub files: Files,
    /// How many more there are.
    #[serde(default)]
    pub more: u64,
    /// The commit that was checked out before, if another one is now.
    pub head_before: Option<String>,
    /// The commit that is checked out now.
    pub head_now: Option<String>,
    /// The handoff since which they changed.
    pub since: Option<Seq>,
    /// Who held the stick when it was noticed, or had it kept for them.
    pub owner: Option<AgentId>,
    /// What they are called.
    pub owner_agent: Option<String>,
    /// How present they were; `evicted` where there is nobody.
    pub owner_liveness: Presence,
}

impl Edited {
    /// What makes it this edit and no other: who, which files with which content, and which commit.
    pub fn identity(&self) -> String {
        let facts = (&self.by, &self.files, self.more, &self.head_before, &self.head_now);
        let digest = Sha256::digest(serde_json::to_vec(&facts).unwrap_or_default());
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// How many files changed.
    pub fn count(&self) -> u64 {
        self.files.0.len() as u64 + self.more
    }

    /// The files in a few words: `src/a.rs`, `src/a.rs and 2 more`, and without any `HEAD`.
    pub fn place(&self) -> String {
        match (self.files.0.keys().next(), self.count()) {
            (None, _) => "HEAD".to_owned(),
            (Some(path), 1) => path.clone(),
            (Some(path), count) => format!("{path} and {} more", count - 1),
        }
    }

    /// The command that leads on.
    pub(crate) fn hint(&self) -> String {
        match &self.by_agent {
            Some(name) => {
                let words = "You changed files without the stick: wait for your turn, or reserve a scope.";
                format!("baton tell {} {}", quoted(name), quoted(words))
            }
            None => "git status".to_owned(),
        }
    }
}
