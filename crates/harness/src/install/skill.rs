//! The skill: the operating instructions that a harness shows its model.
//!
//! A skill file is ours while its front matter carries [`MARKER`]: `install` then brings it up to date and
//! `uninstall` removes it. Whoever wants to keep their own version takes the marker out.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::InstallError;

/// The text that is installed.
pub(crate) const TEXT: &str = include_str!("SKILL.md");

/// Where a skill directory has our file.
pub(crate) const FILE: &str = "baton/SKILL.md";

/// The skill directory that several harnesses read, below the home directory.
pub(crate) const SHARED_DIRECTORY: &str = ".agents/skills";

/// The line of the front matter that makes a file ours.
const MARKER: &str = "managed-by: baton";

/// What is at the place of our skill file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SkillStatus {
    /// Nothing.
    Missing,
    /// The text of this Baton.
    Current,
    /// A text of ours from another version, or changed by hand.
    Outdated,
    /// Somebody's own file, which is left alone.
    Foreign,
}

/// The skill file as it is.
pub(crate) struct Installed {
    pub(crate) path: PathBuf,
    pub(crate) status: SkillStatus,
}

/// Looks at the skill file.
pub(crate) fn look(path: PathBuf) -> Result<Installed, InstallError> {
    match fs::read(&path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Installed { path, status: status_of(&text) }),
            Err(_) => Ok(Installed { path, status: SkillStatus::Foreign }),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Installed { path, status: SkillStatus::Missing }),
        Err(source) => Err(InstallError::Io { doing: "read", path, source }),
    }
}

fn status_of(text: &str) -> SkillStatus {
    if text == TEXT {
        SkillStatus::Current
    } else if front_matter(text).any(|line| line.trim() == MARKER) {
        SkillStatus::Outdated
    } else {
        SkillStatus::Foreign
    }
}

fn front_matter(text: &str) -> impl Iterator<Item = &str> {
    let mut lines = text.lines();
    let begins = lines.next() == Some("---");
    lines.take_while(move |line| begins && *line != "---")
}

/// Whether two paths lead to the same skill file, as when one skill directory is a link to the other.
pub(crate) fn same_file(a: &Path, b: &Path) -> bool {
    a == b || matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}
