//! Drift as the next holder is told it.

use std::collections::BTreeMap;

use baton_core::{
    ids::AgentId,
    tree::{Drift, How, MissingArtifact},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bounds::Page;

/// Paths of one list, and bytes of all of them: the answer also has a handoff, and most clients pass on 40,000 characters.
const NAMED: usize = 20;
const NAMED_BYTES: usize = 4096;

/// Changes in the workspace since the last handoff that no turn explains.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DriftReport {
    /// The changes in a sentence or two.
    pub summary: String,
    /// The commit that was checked out at the handoff, if another one is now.
    pub head_before: Option<String>,
    /// The commit that is checked out now.
    pub head_now: Option<String>,
    /// Files whose content is another one.
    #[serde(default, skip_serializing_if = "ChangedPaths::is_empty")]
    pub changed: ChangedPaths,
    /// Files that were not there.
    #[serde(default, skip_serializing_if = "ChangedPaths::is_empty")]
    pub added: ChangedPaths,
    #[serde(default, skip_serializing_if = "ChangedPaths::is_empty")]
    pub removed: ChangedPaths,
    /// Artifacts of the handoff that are not where it says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_artifacts: Vec<MissingArtifact>,
    /// Whose changes they are, as far as it is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by: Vec<DriftAuthor>,
    /// Set when there are more files than the record holds: the rest was not compared.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_partial: bool,
}

/// Files, the first of them by path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedPaths {
    pub count: usize,
    /// From the room's root; at most 20 of them.
    pub paths: Vec<String>,
}

/// Someone whose changes some files are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DriftAuthor {
    pub agent_id: AgentId,
    /// What people call them.
    pub agent: String,
    pub because: DriftReason,
    pub files: ChangedPaths,
}

/// The reason why files are taken for somebody's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum DriftReason {
    /// They had reserved them.
    Scope,
    /// They ran a command without the stick while the files changed.
    Command,
    /// They held the stick, and it was taken over from them.
    Turn,
}

impl ChangedPaths {
    fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn of<'a>(paths: impl Iterator<Item = &'a String>, page: &mut Page) -> Self {
        let all: Vec<&String> = paths.collect();
        let named = all.iter().take(NAMED).take_while(|path| page.takes(path)).map(|path| (*path).clone());
        Self { paths: named.collect(), count: all.len() }
    }
}

/// The owner of each file.
pub(super) type Authors = BTreeMap<String, (AgentId, DriftReason)>;

impl DriftReport {
    /// The summary and the files, in a line.
    pub(crate) fn in_words(&self) -> String {
        let lists = [("changed", &self.changed), ("added", &self.added), ("removed", &self.removed)];
        let lists = lists.iter().filter(|(_, files)| !files.paths.is_empty());
        let lists: Vec<String> = lists.map(|(how, files)| format!("{how} {}", files.paths.join(", "))).collect();
        if lists.is_empty() { self.summary.clone() } else { format!("{} {}", self.summary, lists.join("; ")) }
    }

    pub(super) fn of(
        drift: &Drift,
        missing_artifacts: Vec<MissingArtifact>,
        authors: &Authors,
        name: impl Fn(&AgentId) -> String,
    ) -> Self {
        let mut page = Page::of(NAMED_BYTES);
        let (head_before, head_now) = drift.head.clone().unwrap_or_default();
        let [changed, added, removed] =
            [How::Changed, How::Added, How::Removed].map(|how| ChangedPaths::of(drift.paths(how), &mut page));
        let mut grouped: BTreeMap<(AgentId, DriftReason), Vec<&String>> = BTreeMap::new();
        for (path, author) in authors {
            grouped.entry(author.clone()).or_default().push(path);
        }
        let by = grouped.into_iter().map(|((agent_id, because), paths)| DriftAuthor {
            agent: name(&agent_id),
            agent_id,
            because,
            files: ChangedPaths::of(paths.into_iter(), &mut page),
        });
        Self {
            by: by.collect(),
            summary: summary(drift, &missing_artifacts, authors),
            head_before,
            head_now,
            changed,
            added,
            removed,
            missing_artifacts,
            is_partial: drift.is_partial,
        }
    }
}

fn summary(drift: &Drift, missing: &[MissingArtifact], authors: &Authors) -> String {
    let is_turn = authors.values().any(|(_, because)| *because == DriftReason::Turn);
    let since = if is_turn { "Since the last handoff" } else { "Since the handoff, without a turn" };
    let changes = (!drift.is_empty()).then(|| format!("{since}: {drift}."));
    let missing = match missing {
        [] => None,
        [one] => Some(format!("Artifact {one}.")),
        many => Some(format!("{} artifacts of the handoff are not there.", many.len())),
    };
    [changes, missing].into_iter().flatten().collect::<Vec<_>>().join(" ")
}
