//! How a path begins, and the conventions it is written in.
//!
//! An [`Anchor`] is what `..` cannot leave: `/`, a drive, a share of a server. [`begin`] splits it off a text; what
//! follows are components, which [`super::path`] reads.

/// How paths are written and compared on a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Conventions {
    /// Which separators and beginnings are understood.
    pub style: PathStyle,
    /// Whether case counts.
    pub casing: Casing,
}

/// Which separators and beginnings of a path are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathStyle {
    /// `/` separates names on disk. What callers write is read with `\` as a separator too.
    Unix,
    /// `/` and `\` separate; paths begin with a drive or a share.
    Windows,
}

/// Whether case counts when paths are compared. The spelling is kept either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Casing {
    /// `Src` and `src` are two directories.
    Exact,
    /// `Src` and `src` are one.
    Folded,
}

impl Conventions {
    /// Linux, and other systems where case counts.
    pub const UNIX: Self = Self { style: PathStyle::Unix, casing: Casing::Exact };
    /// Windows.
    pub const WINDOWS: Self = Self { style: PathStyle::Windows, casing: Casing::Folded };
}

impl PathStyle {
    pub(super) fn separates(self, c: char) -> bool {
        c == '/' || (self == Self::Windows && c == '\\')
    }
}

impl Casing {
    pub(super) fn same(self, a: &str, b: &str) -> bool {
        match self {
            Self::Exact => a == b,
            // Character by character, since lowercasing a whole text treats a last sigma differently.
            Self::Folded => a.chars().flat_map(char::to_lowercase).eq(b.chars().flat_map(char::to_lowercase)),
        }
    }
}

/// What an absolute path hangs on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Anchor {
    /// `/`.
    Root,
    /// `C:`, in upper case: Windows itself makes no difference.
    Drive(char),
    /// `//server/share`.
    Share { server: String, share: String },
}

impl Anchor {
    pub(super) fn same(&self, other: &Self, casing: Casing) -> bool {
        match (self, other) {
            (Self::Root, Self::Root) => true,
            (Self::Drive(a), Self::Drive(b)) => a == b,
            (Self::Share { server: a, share: b }, Self::Share { server: c, share: d }) => {
                casing.same(a, c) && casing.same(b, d)
            }
            (Self::Root | Self::Drive(_) | Self::Share { .. }, _) => false,
        }
    }

    /// The anchor as text, with the slash that components follow.
    pub(super) fn prefix(&self) -> String {
        match self {
            Self::Root => "/".to_owned(),
            Self::Drive(letter) => format!("{letter}:/"),
            Self::Share { server, share } => format!("//{server}/{share}/"),
        }
    }
}

/// Where the components of a text start from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// The room's root.
    Relative,
    /// The anchor of the room's root: `\src` names no drive of its own.
    Rooted,
    /// An anchor of its own.
    At(Anchor),
}

/// Splits `text` into where it starts and the components that follow, or says what is wrong.
pub(super) fn begin(style: PathStyle, text: &str) -> Result<(Start, &str), String> {
    match style {
        PathStyle::Windows => begin_windows(text),
        PathStyle::Unix if text.starts_with('/') => Ok((Start::At(Anchor::Root), text)),
        PathStyle::Unix => Ok((Start::Relative, text)),
    }
}

fn begin_windows(text: &str) -> Result<(Start, &str), String> {
    let after_separators = text.trim_start_matches(separates);
    if text.len() - after_separators.len() == 2 && !after_separators.is_empty() {
        return match next_name(after_separators) {
            ("?", rest) => begin_verbatim(rest),
            (".", _) => Err("names a device; give a path on a drive or a share".to_owned()),
            _ => begin_share(after_separators),
        };
    }
    match split_drive(text) {
        Some((letter, rest)) if rest.starts_with(separates) => Ok((Start::At(Anchor::Drive(letter)), rest)),
        Some((letter, _)) => Err(format!(
            "is unclear: it depends on a current directory of drive {letter}. Begin it with \"{letter}:/\" if that is meant"
        )),
        None if text.starts_with(separates) => Ok((Start::Rooted, text)),
        None => Ok((Start::Relative, text)),
    }
}

/// What follows `\\?\`, which only lifts the limit on a path's length.
fn begin_verbatim(text: &str) -> Result<(Start, &str), String> {
    let text = text.trim_start_matches(separates);
    match (next_name(text), split_drive(text)) {
        ((name, rest), _) if name.eq_ignore_ascii_case("unc") => begin_share(rest.trim_start_matches(separates)),
        (_, Some((letter, rest))) if rest.starts_with(separates) => Ok((Start::At(Anchor::Drive(letter)), rest)),
        _ => Err("names a device; give a path on a drive or a share".to_owned()),
    }
}

fn begin_share(text: &str) -> Result<(Start, &str), String> {
    let (server, rest) = next_name(text);
    let (share, rest) = next_name(rest.trim_start_matches(separates));
    let names_something = |name: &str| !matches!(name, "" | "." | "..") && !name.contains(['*', '?', ':']);
    if !names_something(server) || !names_something(share) {
        return Err("begins with two separators but names no share; that takes \"//server/share/…\"".to_owned());
    }
    Ok((Start::At(Anchor::Share { server: server.to_owned(), share: share.to_owned() }), rest))
}

fn split_drive(text: &str) -> Option<(char, &str)> {
    let (letters, rest) = text.split_once(':')?;
    let mut letters = letters.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) if letter.is_ascii_alphabetic() => Some((letter.to_ascii_uppercase(), rest)),
        _ => None,
    }
}

fn next_name(text: &str) -> (&str, &str) {
    text.split_at(text.find(separates).unwrap_or(text.len()))
}

fn separates(c: char) -> bool {
    PathStyle::Windows.separates(c)
}
