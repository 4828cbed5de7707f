//! Reading a path from text, and writing it down again.
//!
//! Only the text counts: links are followed by whoever can look at a disk, and nothing needs to exist, since a scope may
//! be reserved for a file that is yet to be written. `..` is refused: after a link it would mean another directory than it
//! says. Both separators are read on every machine, because agents on different machines write to each other.

use std::borrow::Cow;

use super::anchor::{Anchor, Conventions, PathStyle, Start, begin};
use crate::{handoff::is_blank, limits};

/// An absolute path without `.` or spare separators, and everything below it.
///
/// Equality is of the spelling, wildcard included; whether two paths name the same place is
/// [`overlap`](Self::overlap)'s to say.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ScopePath {
    pub(super) conventions: Conventions,
    pub(super) anchor: Anchor,
    pub(super) components: Vec<String>,
    wildcard: bool,
}

/// Why a text is not a path that can be reserved or checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} {text:?} {problem}")]
pub struct InvalidScope {
    /// What it was given as.
    pub what: &'static str,
    /// What was given, or as much of it as a message repeats.
    pub text: String,
    /// What is wrong with it, and what to give instead.
    pub problem: String,
}

impl ScopePath {
    /// Reads a room's own path, which must be absolute. Its conventions hold for every path read against it.
    pub fn root(text: &str, conventions: Conventions) -> Result<Self, InvalidScope> {
        Self::read_root(text, conventions).map_err(|problem| invalid("room path", text, problem))
    }

    /// Reads what an agent reserves: absolute, or relative to the room's `root`.
    ///
    /// A last component `*` or `**` stands for everything below the directory before it. `*` anywhere else is
    /// refused, since a scope that took it literally would protect nothing; `[`, `?` and `{` occur in real names
    /// and are ordinary.
    pub fn scope(text: &str, root: &Self) -> Result<Self, InvalidScope> {
        root.read_scope(text).map_err(|problem| invalid("scope", text, problem))
    }

    /// Reads the path of a concrete file: as a scope, but it may be called anything that a file can be. `*` is a
    /// character like any other; control characters, which no scope has, are read as U+FFFD.
    pub fn file(text: &str, root: &Self) -> Result<Self, InvalidScope> {
        root.read_file(text).map_err(|problem| invalid("path", text, problem))
    }

    /// Whether it was reserved with a `*` at its end.
    pub fn is_wildcard(&self) -> bool {
        self.wildcard
    }

    /// Whether it is a whole disk or share: `/`, `C:/`.
    pub fn is_anchor(&self) -> bool {
        self.components.is_empty()
    }

    /// Whether a scope can name it: a concrete file may be called what none can.
    pub fn is_reservable(&self) -> bool {
        !self.components.iter().any(|name| name.contains(['*', char::REPLACEMENT_CHARACTER]))
    }

    /// The absolute spelling, without the wildcard.
    pub fn absolute(&self) -> String {
        self.anchor.prefix() + &self.components.join("/")
    }

    /// The spelling that is stored and shown, with `/` between components: relative to `root` when it lies inside
    /// (`src/lib`, and `.` for the root itself), else absolute (`/etc`, `C:/Users`). A wildcard ends in `/*`, and
    /// is `*` alone for the whole room.
    pub fn shown(&self, root: &Self) -> String {
        let (prefix, names) = if root.contains(self) {
            (String::new(), &self.components[root.components.len()..])
        } else {
            (self.anchor.prefix(), &self.components[..])
        };
        let names: Vec<&str> = names.iter().map(String::as_str).chain(self.wildcard.then_some("*")).collect();
        match prefix + &names.join("/") {
            text if text.is_empty() => ".".to_owned(),
            text => text,
        }
    }

    fn read_root(text: &str, conventions: Conventions) -> Result<Self, String> {
        check(text)?;
        match begin(conventions.style, text)? {
            (Start::At(anchor), rest) => {
                let root = Self { conventions, anchor, components: Vec::new(), wildcard: false };
                Ok(root.below(&names(conventions.style, rest)?))
            }
            (Start::Relative, _) => Err("must be absolute".to_owned()),
            (Start::Rooted, _) => Err("must be absolute, with its drive".to_owned()),
        }
    }

    fn read_scope(&self, text: &str) -> Result<Self, String> {
        check(text)?;
        let text = &*self.with_slashes(text);
        let (start, rest) = begin(self.conventions.style, text)?;
        let start = self.starting(start);
        let mut names = names(self.conventions.style, rest)?;
        let mut wildcard = false;
        while names.pop_if(|name| matches!(*name, "*" | "**")).is_some() {
            wildcard = true;
        }
        let path = start.below(&names);
        // A room below a directory with a star in its name can be shared out all the same.
        let own = if self.contains(&path) { self.components.len() } else { start.components.len() };
        if let Some(pattern) = path.components[own..].iter().position(|name| name.contains('*')) {
            let before = Self { components: path.components[..own + pattern].to_vec(), ..path };
            let directory = before.shown(self);
            return Err(format!(
                "has a pattern that is not understood: \"*\" may only be the whole last part (\"src/*\" is \
                 everything below src). Reserve the directory before it instead: {directory:?}"
            ));
        }
        let path = Self { wildcard, ..path.spelled_as_in(self) };
        path.storable_in(self)
    }

    fn read_file(&self, text: &str) -> Result<Self, String> {
        check_length(text)?;
        if text.is_empty() {
            return Err("must be non-empty".to_owned());
        }
        let text = self.with_slashes(text).replace(char::is_control, "\u{FFFD}");
        let (start, rest) = begin(self.conventions.style, &text)?;
        let path = self.starting(start).below(&names(self.conventions.style, rest)?);
        Ok(path.spelled_as_in(self))
    }

    /// A caller's text with `/` for every separator. The room's own path is what it is on disk, where a Unix directory may
    /// have a backslash in its name.
    fn with_slashes<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.conventions.style == PathStyle::Windows || !text.contains('\\') {
            return Cow::Borrowed(text);
        }
        let root = self.absolute();
        let below = text.strip_prefix(&root).filter(|below| below.is_empty() || below.starts_with(['/', '\\']));
        Cow::Owned(below.map_or_else(|| text.replace('\\', "/"), |below| root.clone() + &below.replace('\\', "/")))
    }

    /// The path that components are added to, for a text that starts so in this room.
    fn starting(&self, start: Start) -> Self {
        let (anchor, components) = match start {
            Start::Relative => (self.anchor.clone(), self.components.clone()),
            Start::Rooted => (self.anchor.clone(), Vec::new()),
            Start::At(anchor) => (anchor, Vec::new()),
        };
        Self { conventions: self.conventions, anchor, components, wildcard: false }
    }

    fn below(&self, names: &[&str]) -> Self {
        let mut path = self.clone();
        path.components.extend(names.iter().map(|name| (*name).to_owned()));
        path
    }

    /// Inside the room its spelling wins, so that a path is equal to itself read from its relative form.
    fn spelled_as_in(mut self, root: &Self) -> Self {
        if root.contains(&self) {
            self.anchor = root.anchor.clone();
            self.components.splice(..root.components.len(), root.components.iter().cloned());
        }
        self
    }

    /// Refuses a path whose stored form could not be read again, as may be when a drive is added to it.
    fn storable_in(self, root: &Self) -> Result<Self, String> {
        check(&self.shown(root))?;
        Ok(self)
    }
}

/// The components of a text after its beginning; empty ones and `.` mean nothing.
fn names(style: PathStyle, text: &str) -> Result<Vec<&str>, String> {
    let names: Vec<_> = text.split(|c| style.separates(c)).filter(|name| !matches!(*name, "" | ".")).collect();
    if names.contains(&"..") {
        return Err(
            "has \"..\" in it, which can lead out of the room. Write the path itself, from the room's root or absolute"
                .to_owned(),
        );
    }
    match style {
        PathStyle::Windows if names.iter().any(|name| name.contains(':')) => {
            Err("has a \":\" in a name; on Windows it only follows the letter of a drive".to_owned())
        }
        PathStyle::Windows | PathStyle::Unix => Ok(names),
    }
}

fn check_length(text: &str) -> Result<(), String> {
    if text.len() > limits::PATH_BYTES {
        return Err(format!("is {} bytes long; at most {} are accepted", text.len(), limits::PATH_BYTES));
    }
    Ok(())
}

fn check(text: &str) -> Result<(), String> {
    check_length(text)?;
    if text.chars().any(char::is_control) {
        return Err("has a control character".to_owned());
    }
    if is_blank(text) {
        return Err("must be non-empty".to_owned());
    }
    Ok(())
}

fn invalid(what: &'static str, text: &str, problem: String) -> InvalidScope {
    InvalidScope { what, text: text.chars().take(limits::SHOWN_INPUT_CHARS).collect(), problem }
}
