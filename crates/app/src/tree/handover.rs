//! The tree as a handoff leaves it, and warnings for whoever hands on.

use std::collections::BTreeMap;

use baton_core::{handoff::Handoff, ids::RoomId, tree::Record};

use super::{
    artifacts,
    edits::{baseline, edits_since, listed},
};
use crate::{App, Caller, Failure, unit::Change};

impl App {
    /// Looks at the workspace before a handoff. Called before the transaction: git and disks may take their time.
    pub(crate) fn look_before_handover(
        &self,
        caller: &Caller,
        room: &RoomId,
        handoff: &Handoff,
    ) -> Result<Option<Record>, Failure> {
        let Some(path) = self.room_path(room)? else { return Ok(None) };
        let files = self.room_paths.files(room, &path, caller);
        let look = files.working_tree.and_then(|working_tree| working_tree.look());
        // Without git nothing is known of the files, but artifacts can be looked for.
        if look.is_none() && handoff.artifacts.is_empty() {
            return Ok(None);
        }
        let tree = look.map(|look| look.tree).unwrap_or_default();
        let missing = files.workspace.map(|workspace| artifacts::missing(&workspace, handoff, &tree.dirty));
        Ok(Some(Record { tree, missing_artifacts: missing.unwrap_or_default() }))
    }
}

impl Change<'_> {
    /// Warnings about the tree that the holder hands on: dirty files that changed without a turn and are as they were
    /// found then, and artifacts that are not there.
    pub(crate) fn warnings(&mut self, record: Option<&Record>) -> Result<Vec<String>, Failure> {
        let Some(record) = record else { return Ok(Vec::new()) };
        let mut unexplained: BTreeMap<&String, Option<String>> = BTreeMap::new();
        let edits = edits_since(self.store.tx()?, &self.room.id, baseline(&self.room))?;
        for (path, state) in &record.tree.dirty.0 {
            if let Some(edit) = edits.iter().find(|edit| edit.has(path, state)) {
                unexplained.insert(path, edit.0.by_agent.clone());
            }
        }
        let mut by_author: BTreeMap<Option<String>, Vec<&String>> = BTreeMap::new();
        for (path, author) in unexplained {
            by_author.entry(author).or_default().push(path);
        }
        let mut warnings: Vec<String> = by_author
            .into_iter()
            .map(|(author, paths)| {
                let while_running = author.map(|name| format!(" while {name} ran a command")).unwrap_or_default();
                format!("Changed without a turn{while_running}, and not since: {}.", listed(paths))
            })
            .collect();
        warnings.extend(record.missing_artifacts.iter().map(|missing| format!("Artifact {missing}.")));
        Ok(warnings)
    }
}
