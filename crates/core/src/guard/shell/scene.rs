//! The directory in which a command runs, and the findings so far.

use std::rc::Rc;

use super::token::Word;

/// Further paths only make the reading partial, so that a long directory before many paths stays small.
const PATHS_MAX: usize = 1024;
/// The longest path that Linux opens.
const PATH_BYTES_MAX: usize = 4096;

/// Targets that are no files.
const DEVICES: [&str; 3] = ["/dev/null", "/dev/stdout", "/dev/stderr"];

/// The findings about a command, and the directory that its next part runs in.
#[derive(Default)]
pub(super) struct Scene {
    pub(super) writes: Vec<String>,
    pub(super) trees: Vec<String>,
    pub(super) moves_tree: bool,
    pub(super) is_partial: bool,
    pub(super) directory: Directory,
}

/// A directory, as far as it is known.
#[derive(Clone, Default)]
pub(super) struct Directory {
    /// Empty for the one in which the command starts.
    path: Rc<str>,
    /// A `cd` before may have failed, or not have run.
    pub(super) is_unsure: bool,
}

impl Scene {
    pub(super) const fn unknown(&mut self) {
        self.is_partial = true;
    }

    /// Notes that output goes to `word`. Only here is a device harmless: `rm /dev/null` removes it.
    pub(super) fn write_output(&mut self, word: &Word) {
        if word.expands || !DEVICES.contains(&word.text.as_str()) {
            self.write(word);
        }
    }

    /// Notes that `word` is written.
    pub(super) fn write(&mut self, word: &Word) {
        // A process reads it, and no file is named.
        if word.is_process || word.text.is_empty() {
            return self.unknown();
        }
        // `>!` is an operator in some shells.
        self.is_partial |= word.text.starts_with('!') && word.bare > 0;
        match self.resolve(word) {
            Some(path) => self.add_write(path),
            None => self.unknown(),
        }
    }

    /// Notes that a literal path is written.
    pub(super) fn write_path(&mut self, path: &str) {
        match self.join(path, path.starts_with(['/', '$'])) {
            Some(path) => self.add_write(path),
            None => self.unknown(),
        }
    }

    /// Notes that git moves the tree in the directory.
    pub(super) fn move_tree(&mut self) {
        self.moves_tree = true;
        self.is_partial |= self.directory.is_unsure;
        let path = if self.directory.path.is_empty() { "." } else { &self.directory.path };
        if self.trees.len() >= PATHS_MAX {
            self.is_partial = true;
        } else if !self.trees.iter().any(|tree| tree == path) {
            self.trees.push(path.to_owned());
        }
    }

    /// Goes to the directory that `word` names.
    pub(super) fn enter(&mut self, word: &Word) {
        match self.resolve(word) {
            Some(path) => self.directory.path = path.into(),
            None => self.directory.is_unsure = true,
        }
    }

    /// Goes to a directory that the shell has the name of.
    pub(super) fn enter_known(&mut self, path: &str) {
        self.directory.path = path.into();
    }

    fn add_write(&mut self, path: String) {
        if self.writes.len() >= PATHS_MAX {
            self.is_partial = true;
        } else if !self.writes.contains(&path) {
            self.writes.push(path);
        }
    }

    fn resolve(&mut self, word: &Word) -> Option<String> {
        let is_home = word.text.starts_with('~') && word.bare > 0;
        // A tilde in quotes is a name like any other; without the dot a reader would take it for the home directory.
        let is_name = word.text.starts_with('~') && !is_home;
        let path = if is_name { format!("./{}", word.text) } else { word.text.clone() };
        self.join(&path, is_home || path.starts_with('/') || (word.expands && word.starts_unknown))
    }

    fn join(&mut self, path: &str, is_absolute: bool) -> Option<String> {
        if is_absolute || path.starts_with('/') {
            return (path.len() <= PATH_BYTES_MAX).then(|| path.to_owned());
        }
        self.is_partial |= self.directory.is_unsure;
        let directory = self.directory.path.trim_end_matches('/');
        if directory.len() + path.len() >= PATH_BYTES_MAX {
            return None;
        }
        let is_start = self.directory.path.is_empty();
        Some(if is_start { path.to_owned() } else { format!("{directory}/{path}") })
    }
}
