//! What an installation or removal did, or would do.

use std::{fmt, path::PathBuf};

use serde::Serialize;

use super::Part;

use crate::Harness;

/// What became of one harness. `Display` is a line per file, for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// The harness.
    pub harness: Harness,
    /// Its configuration; more than one file only where a removal found the entry in several.
    pub config: Vec<ConfigReport>,
    /// Its skill, unless that was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<SkillReport>,
    /// Its hooks, commands and settings.
    pub files: Vec<FileReport>,
    /// Things that a person should know or still has to do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Outcome {
    /// Whether any file is, or would be, different from before.
    pub fn changed(&self) -> bool {
        let is_untouched = |change: &ConfigChange| {
            matches!(change, ConfigChange::Already | ConfigChange::KeptForeign { .. } | ConfigChange::NotRegistered)
        };
        let config = self.config.iter().any(|report| !is_untouched(&report.change));
        let skill = self.skill.as_ref().map(|skill| &skill.change);
        let files = self.files.iter().any(|file| file.change.is_change());
        config || files || matches!(skill, Some(SkillChange::Installed | SkillChange::Updated | SkillChange::Removed))
    }
}

/// One configuration file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConfigReport {
    /// The file.
    pub path: PathBuf,
    /// What became of it.
    #[serde(flatten)]
    pub change: ConfigChange,
}

/// What became of a configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum ConfigChange {
    /// The file is new.
    Created,
    /// The entry is new.
    Added,
    /// The entry said something else.
    Updated {
        /// The command before.
        from: String,
        /// The command now.
        to: String,
    },
    /// The entry was there and right.
    Already,
    /// The entry is gone.
    Removed {
        /// The command it had.
        command: String,
    },
    /// A server of another program has our name, and stays.
    KeptForeign {
        /// Its command.
        command: String,
    },
    /// There was no entry to remove.
    NotRegistered,
}

/// One file of a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileReport {
    /// The part.
    pub part: Part,
    /// The file.
    pub path: PathBuf,
    /// What became of it.
    pub change: FileChange,
    /// The text, or the part of it that is ours.
    #[serde(skip)]
    pub content: String,
}

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileChange {
    /// The file is new.
    Created,
    /// Our items are new in it.
    Added,
    /// It said something else of ours.
    Updated,
    /// It was there and right.
    Already,
    /// The file, or our items in it, are gone.
    Removed,
    /// Somebody's own file is there and stays.
    KeptForeign,
}

impl FileChange {
    fn is_change(self) -> bool {
        !matches!(self, Self::Already | Self::KeptForeign)
    }
}

/// The skill file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SkillReport {
    /// The file.
    pub path: PathBuf,
    /// What became of it.
    #[serde(flatten)]
    pub change: SkillChange,
}

/// What became of the skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum SkillChange {
    /// It is new.
    Installed,
    /// It was an older text of ours.
    Updated,
    /// It was there and current.
    Already,
    /// It is gone.
    Removed,
    /// It stays, since other harnesses read it.
    NeededBy {
        /// Those.
        harnesses: Vec<Harness>,
    },
    /// Somebody's own file is there and stays.
    KeptForeign,
    /// There was none to remove.
    NotInstalled,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.harness.title();
        for ConfigReport { path, change } in &self.config {
            let path = path.display();
            match change {
                ConfigChange::Created => writeln!(f, "{name}: registered in {path} (new file)"),
                ConfigChange::Added => writeln!(f, "{name}: registered in {path}"),
                ConfigChange::Updated { from, to } => {
                    writeln!(f, "{name}: updated in {path}\n  from {from}\n  to   {to}")
                }
                ConfigChange::Already => writeln!(f, "{name}: already registered in {path}"),
                ConfigChange::Removed { command } => writeln!(f, "{name}: removed from {path} (was {command})"),
                ConfigChange::KeptForeign { command } => {
                    writeln!(
                        f,
                        "{name}: the server baton in {path} is another program's ({command}) and was left alone"
                    )
                }
                ConfigChange::NotRegistered => writeln!(f, "{name}: not registered in {path}"),
            }?;
        }
        for FileReport { part, path, change, .. } in &self.files {
            let (part, path) = (part.name(), path.display());
            match change {
                FileChange::Created => writeln!(f, "{name}: {part} written to {path} (new file)"),
                FileChange::Added => writeln!(f, "{name}: {part} added to {path}"),
                FileChange::Updated => writeln!(f, "{name}: {part} updated in {path}"),
                FileChange::Already => writeln!(f, "{name}: {part} already current in {path}"),
                FileChange::Removed => writeln!(f, "{name}: {part} removed from {path}"),
                FileChange::KeptForeign => writeln!(f, "{name}: {path} is not Baton's own and was left alone"),
            }?;
        }
        for note in &self.notes {
            writeln!(f, "{name}: {note}")?;
        }
        let Some(skill) = &self.skill else { return Ok(()) };
        let path = skill.path.display();
        match &skill.change {
            SkillChange::Installed => write!(f, "{name}: skill installed as {path}"),
            SkillChange::Updated => write!(f, "{name}: skill updated, {path}"),
            SkillChange::Already => write!(f, "{name}: skill already current, {path}"),
            SkillChange::Removed => write!(f, "{name}: skill removed, {path}"),
            SkillChange::NeededBy { harnesses } => {
                let others = harnesses.iter().map(|harness| harness.title()).collect::<Vec<_>>().join(", ");
                write!(f, "{name}: skill kept for {others}, {path}")
            }
            SkillChange::KeptForeign => write!(f, "{name}: {path} is not Baton's own skill and was left alone"),
            SkillChange::NotInstalled => write!(f, "{name}: no skill to remove, {path}"),
        }
    }
}
