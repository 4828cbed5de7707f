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
    pub(super) indexes: Vec<String>,
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

impl Directory {
    /// Whether it is one that only the shell knows: a home directory, or the value of a variable.
    fn is_elsewhere(&self) -> bool {
        self.path.starts_with(['~', '$'])
    }
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
        // A home directory or the beginning of a variable's value may be anywhere.
        let is_elsewhere = (word.expands && word.starts_unknown) || (word.text.starts_with('~') && word.bare > 0);
        match self.resolve(word).filter(|_| !is_elsewhere) {
            Some(path) => self.add_write(path),
            None => self.unknown(),
        }
    }

    /// Notes that a literal path is written.
    pub(super) fn write_path(&mut self, path: &str) {
        match self.join(path, path.starts_with('/')).filter(|path| !path.starts_with(['~', '$'])) {
            Some(path) => self.add_write(path),
            None => self.unknown(),
        }
    }

    /// Notes that git moves the tree in the directory.
    pub(super) fn move_tree(&mut self) {
        let directory = self.git_directory();
        Self::note(&mut self.trees, directory, &mut self.is_partial);
    }

    /// Notes that git moves the index or the branch in the directory, and no file of the tree.
    pub(super) fn move_index(&mut self) {
        let directory = self.git_directory();
        Self::note(&mut self.indexes, directory, &mut self.is_partial);
    }

    fn git_directory(&mut self) -> Option<String> {
        self.moves_tree = true;
        self.is_partial |= self.directory.is_unsure;
        let path = &self.directory.path;
        (!self.directory.is_elsewhere()).then(|| if path.is_empty() { ".".to_owned() } else { path.to_string() })
    }

    fn note(paths: &mut Vec<String>, path: Option<String>, is_partial: &mut bool) {
        match path {
            Some(path) if paths.len() < PATHS_MAX => {
                if !paths.contains(&path) {
                    paths.push(path);
                }
            }
            _ => *is_partial = true,
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
        Self::note(&mut self.writes, Some(path), &mut self.is_partial);
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
        if self.directory.is_elsewhere() {
            return None;
        }
        let directory = self.directory.path.trim_end_matches('/');
        if directory.len() + path.len() >= PATH_BYTES_MAX {
            return None;
        }
        let is_start = self.directory.path.is_empty();
        Some(if is_start { path.to_owned() } else { format!("{directory}/{path}") })
    }
}
