//! What an installation or removal did, or would do.

use std::{fmt, path::PathBuf};

use serde::Serialize;

use super::Harness;

/// What became of one harness. `Display` is a line per file, for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Outcome {
    /// The harness.
    pub(crate) harness: Harness,
    /// Its configuration; more than one file only where a removal found the entry in several.
    pub(crate) config: Vec<ConfigReport>,
    /// Its skill.
    pub(crate) skill: SkillReport,
}

impl Outcome {
    /// Whether any file is, or would be, different from before.
    pub(crate) fn changed(&self) -> bool {
        let untouched = [ConfigChange::Already, ConfigChange::NotRegistered];
        let config = self.config.iter().any(|report| !untouched.contains(&report.change));
        config || matches!(self.skill.change, SkillChange::Installed | SkillChange::Updated | SkillChange::Removed)
    }
}

/// One configuration file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ConfigReport {
    /// The file.
    pub(crate) path: PathBuf,
    /// What became of it.
    #[serde(flatten)]
    pub(crate) change: ConfigChange,
}

/// What became of a configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub(crate) enum ConfigChange {
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
    /// There was no entry to remove.
    NotRegistered,
}

/// The skill file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct SkillReport {
    /// The file.
    pub(crate) path: PathBuf,
    /// What became of it.
    #[serde(flatten)]
    pub(crate) change: SkillChange,
}

/// What became of the skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub(crate) enum SkillChange {
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
                ConfigChange::NotRegistered => writeln!(f, "{name}: not registered in {path}"),
            }?;
        }
        let path = self.skill.path.display();
        match &self.skill.change {
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
