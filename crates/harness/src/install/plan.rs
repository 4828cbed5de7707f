//! What would be written, before it is: `--print` shows a plan, `install` and `uninstall` apply one.
//!
//! A plan remembers the text each edit was made from. Harnesses write to their own configuration while they run, so
//! a file that says something else by the time of the write is not overwritten; [`carry_out`] plans again.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

use super::{ConfigChange, ConfigReport, FileChange, FileReport, InstallError, Outcome, SkillChange, atomic};

const ATTEMPTS_MAX: usize = 5;

/// The files that would be changed, and the outcome if they are.
#[derive(Debug)]
pub struct Plan {
    /// What will have happened.
    pub outcome: Outcome,
    /// The entry as a configuration of its own, for showing or for adding by hand. Empty for a removal.
    pub snippet: String,
    pub(crate) edits: Vec<Edit>,
    /// Directories that stay even if they are empty.
    pub(crate) kept: Vec<PathBuf>,
}

/// A change of one file.
#[derive(Debug)]
pub(crate) struct Edit {
    pub(crate) path: PathBuf,
    /// The text as it was read; none if there was no file.
    pub(crate) before: Option<String>,
    /// The text to be; none removes the file.
    pub(crate) after: Option<String>,
    /// The mode of the file, if it is new.
    pub(crate) new_mode: u32,
}

impl Plan {
    /// The files that would be written or removed, trust that a program keeps in a file of its own included.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.edits.iter().map(|edit| edit.path.as_path())
    }

    /// Writes what was planned.
    pub(crate) fn apply(self) -> Result<Outcome, InstallError> {
        self.edits.iter().try_for_each(|edit| edit.apply(&self.kept))?;
        Ok(self.outcome)
    }
}

impl Edit {
    /// Changes the file, if it still says what the edit was made from.
    pub(crate) fn apply(&self, kept: &[PathBuf]) -> Result<(), InstallError> {
        if read_text(&self.path)? != self.before {
            return Err(InstallError::Changed { path: self.path.clone() });
        }
        let (doing, done) = match &self.after {
            Some(text) => ("write", atomic::write(&self.path, text, self.new_mode)),
            None => ("remove", atomic::remove(&self.path, kept)),
        };
        done.map_err(|source| InstallError::Io { doing, path: self.path.clone(), source })
    }
}

impl fmt::Display for Plan {
    /// Writes what `--print` shows: each file with what would become of it, and the entry as it would stand there.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.outcome.harness.title();
        for ConfigReport { path, change } in &self.outcome.config {
            let path = path.display();
            match change {
                ConfigChange::Created => writeln!(f, "{name}: would create {path} with"),
                ConfigChange::Added => writeln!(f, "{name}: would add to {path}"),
                ConfigChange::Updated { from, to } => {
                    writeln!(f, "{name}: would update {path}\n  from {from}\n  to   {to}")
                }
                ConfigChange::Already => writeln!(f, "{name}: {path} already has"),
                ConfigChange::Removed { command } => writeln!(f, "{name}: would remove {command} from {path}"),
                ConfigChange::KeptForeign { command } => {
                    writeln!(f, "{name}: would leave the server baton of another program ({command}) in {path} alone")
                }
                ConfigChange::NotRegistered => writeln!(f, "{name}: nothing to remove from {path}"),
            }?;
        }
        if !self.snippet.is_empty() {
            writeln!(f, "\n{}", self.snippet)?;
        }
        for FileReport { part, path, change, content } in &self.outcome.files {
            let (part, path) = (part.name(), path.display());
            match change {
                FileChange::Created => writeln!(f, "{name}: would write {part} to {path} (new file)\n\n{content}"),
                FileChange::Added => writeln!(f, "{name}: would add {part} to {path}\n\n{content}"),
                FileChange::Updated => writeln!(f, "{name}: would update {part} in {path}\n\n{content}"),
                FileChange::Removed => writeln!(f, "{name}: would remove {part} from {path}"),
                FileChange::Already | FileChange::KeptForeign => {
                    writeln!(f, "{name}: would leave {path} as it is")
                }
            }?;
        }
        for note in &self.outcome.notes {
            writeln!(f, "{name}: {note}")?;
        }
        let Some(skill) = &self.outcome.skill else { return Ok(()) };
        let path = skill.path.display();
        match &skill.change {
            SkillChange::Installed => write!(f, "{name}: would install the skill as {path}"),
            SkillChange::Updated => write!(f, "{name}: would update the skill {path}"),
            SkillChange::Removed => write!(f, "{name}: would remove the skill {path}"),
            SkillChange::Already
            | SkillChange::NeededBy { .. }
            | SkillChange::KeptForeign
            | SkillChange::NotInstalled => write!(f, "{name}: would leave {path} as it is"),
        }
    }
}

/// Plans and applies, and does so again while someone else is faster.
pub(crate) fn carry_out(plan: impl Fn() -> Result<Plan, InstallError>) -> Result<Outcome, InstallError> {
    while_changed(|| plan()?.apply())
}

/// Tries again while someone else is faster.
pub(crate) fn while_changed<T>(attempt: impl Fn() -> Result<T, InstallError>) -> Result<T, InstallError> {
    let mut outcome = attempt();
    for _ in 1..ATTEMPTS_MAX {
        if !matches!(outcome, Err(InstallError::Changed { .. })) {
            break;
        }
        outcome = attempt();
    }
    outcome
}

/// The text of a file, if there is one.
pub(crate) fn read_text(path: &Path) -> Result<Option<String>, InstallError> {
    // A repository may have a link to a device or a pipe here, which has no end.
    if fs::metadata(path).is_ok_and(|data| !data.is_file()) {
        let source = io::Error::other("it is no regular file");
        return Err(InstallError::Io { doing: "read", path: path.to_owned(), source });
    }
    match fs::read(path) {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| InstallError::NotText { path: path.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(InstallError::Io { doing: "read", path: path.to_owned(), source }),
    }
}
