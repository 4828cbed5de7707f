//! Changes between two looks at a workspace.

use std::{collections::BTreeMap, fmt};

use super::{FileState, Tree};

/// All that a comparison needs.
#[derive(Clone, Copy, Debug)]
pub struct Comparison<'a> {
    /// The record.
    pub before: &'a Tree,
    /// The tree as it is.
    pub now: &'a Tree,
    /// Files of the record that are as committed now, as they are on disk.
    pub settled: &'a BTreeMap<String, FileState>,
    /// Files that differ between both commits, as they are on disk.
    pub committed: &'a BTreeMap<String, (How, FileState)>,
    /// Files that are dirty now and that the commit does not have.
    pub new: &'a std::collections::BTreeSet<String>,
}

/// A difference in one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// Other content.
    Changed,
    /// It was not there.
    Added,
    /// It is not there.
    Removed,
}

/// The differences between a record and the tree as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drift {
    /// The commits, if another one is checked out.
    pub head: Option<(Option<String>, Option<String>)>,
    /// The files, with their content now.
    pub files: BTreeMap<String, (How, FileState)>,
    /// Whether files beyond the bounds of the record were not compared.
    pub is_partial: bool,
}

impl Drift {
    /// Compares.
    pub fn between(comparison: Comparison<'_>) -> Self {
        let Comparison { before, now, settled, committed, new } = comparison;
        let moved = before.head != now.head;
        let mut drift = Self {
            head: moved.then(|| (before.head.clone(), now.head.clone())),
            files: BTreeMap::new(),
            is_partial: before.more > 0 || now.more > 0,
        };
        let files = &mut drift.files;
        for (path, state) in &now.dirty.0 {
            let how = match before.dirty.0.get(path) {
                Some(old) => between_states(old, state),
                None if !before.covers(path) => None,
                None if state.is_deleted() => Some(How::Removed),
                None if new.contains(path) => Some(How::Added),
                None => Some(How::Changed),
            };
            files.extend(how.map(|how| (path.clone(), (how, state.clone()))));
        }
        let clean = before.dirty.0.iter().filter(|(path, _)| !now.dirty.0.contains_key(*path));
        for (path, old) in clean {
            let Some(state) = settled.get(path) else { continue };
            files.extend(between_states(old, state).map(|how| (path.clone(), (how, state.clone()))));
        }
        for (path, found) in committed {
            let is_known = before.dirty.0.contains_key(path) || now.dirty.0.contains_key(path);
            if !is_known && before.covers(path) {
                files.insert(path.clone(), found.clone());
            }
        }
        drift
    }

    /// Whether nothing is different.
    pub fn is_empty(&self) -> bool {
        self.head.is_none() && self.files.is_empty()
    }

    /// The files that differ in one way.
    pub fn paths(&self, how: How) -> impl Iterator<Item = &String> {
        self.files.iter().filter(move |(_, (found, _))| *found == how).map(|(path, _)| path)
    }
}

fn between_states(old: &FileState, new: &FileState) -> Option<How> {
    match (old.is_deleted(), new.is_deleted()) {
        _ if old == new => None,
        (false, true) => Some(How::Removed),
        (true, false) => Some(How::Added),
        _ => Some(How::Changed),
    }
}

/// `HEAD moved from 1a2b3c4d to 5e6f7a8b; 2 files changed; 1 file added`
impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = self.head.as_ref().map(|(before, now)| {
            let short = |head: &Option<String>| {
                head.as_deref().map_or("none".to_owned(), |head| head.chars().take(8).collect())
            };
            format!("HEAD moved from {} to {}", short(before), short(now))
        });
        let counted =
            [(How::Changed, "changed"), (How::Added, "added"), (How::Removed, "removed")].map(|(how, word)| match self
                .paths(how)
                .count()
            {
                0 => None,
                1 => Some(format!("1 file {word}")),
                count => Some(format!("{count} files {word}")),
            });
        let parts: Vec<String> = [head].into_iter().chain(counted).flatten().collect();
        f.write_str(&parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{super::Files, *};

    fn files(files: &[(&str, &str)]) -> BTreeMap<String, FileState> {
        let state =
            |text: &str| if text.is_empty() { FileState::deleted() } else { FileState::content(text.as_bytes()) };
        files.iter().map(|(path, text)| ((*path).to_owned(), state(text))).collect()
    }

    fn tree(head: &str, dirty: &[(&str, &str)]) -> Tree {
        Tree { head: Some(head.to_owned()), dirty: Files(files(dirty)), more: 0 }
    }

    fn told(before: &Tree, now: &Tree, settled: &[(&str, &str)], new: &[&str]) -> String {
        let new: BTreeSet<String> = new.iter().map(|path| (*path).to_owned()).collect();
        let settled = files(settled);
        let committed = [("d".to_owned(), (How::Removed, FileState::deleted()))].into();
        let none = BTreeMap::new();
        let committed = if before.head == now.head { &none } else { &committed };
        Drift::between(Comparison { before, now, settled: &settled, committed, new: &new }).to_string()
    }

    #[test]
    fn a_tree_that_is_as_it_was_recorded_has_not_drifted() {
        let before = tree("1", &[("a", "x"), ("gone", "")]);
        assert_eq!(told(&before, &before, &[], &[]), "");
    }

    #[test]
    fn files_are_changed_added_or_removed_relative_to_the_record() {
        let before = tree("1", &[("a", "x"), ("b", "x"), ("back", "")]);
        let now = tree("1", &[("a", "y"), ("b", ""), ("back", "z"), ("c", "x"), ("m", "x"), ("r", "")]);
        assert_eq!(told(&before, &now, &[], &["c"]), "2 files changed; 2 files added; 2 files removed");
    }

    #[test]
    fn a_commit_of_what_was_dirty_moves_head_and_changes_no_file() {
        let before = tree("1", &[("a", "x"), ("gone", "")]);
        let now = tree("2", &[]);
        assert_eq!(told(&before, &now, &[("a", "x"), ("gone", "")], &[]), "HEAD moved from 1 to 2; 1 file removed");
        assert_eq!(
            told(&before, &now, &[("a", "other"), ("gone", "")], &[]),
            "HEAD moved from 1 to 2; 1 file changed; 1 file removed"
        );
    }

    #[test]
    fn a_file_beyond_the_bounds_of_the_record_is_not_compared() {
        let before = Tree { more: 3, ..tree("1", &[("a", "x"), ("c", "x")]) };
        let now = tree("1", &[("a", "x"), ("b", "x"), ("c", "x"), ("d", "x")]);
        assert_eq!(told(&before, &now, &[], &["b", "d"]), "1 file added");
    }
}
