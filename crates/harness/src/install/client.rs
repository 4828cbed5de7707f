//! What every harness's file here answers.

use std::path::PathBuf;

use super::{
    InstallError, Outcome, Places, Registration, Wake,
    contents::{Contents, Wanted},
    draft::Draft,
    registration::Entry,
};

/// What is particular to one harness.
pub(crate) trait Client: Sync {
    /// The directory whose presence means that the harness has been used here.
    fn directory(&self, places: &Places) -> PathBuf;

    /// The files in which it looks for servers.
    fn config_files(&self, places: &Places) -> ConfigFiles;

    /// The skill file it reads.
    fn skill_file(&self, places: &Places) -> PathBuf;

    /// How its configuration is written.
    fn format(&self) -> &'static dyn Format;

    /// The ways of waking that a person may ask for.
    fn wakes(&self) -> &'static [Wake] {
        &[]
    }

    /// Its hooks, commands and settings. Those that are not wanted are listed too, so that they can be removed.
    fn contents(&self, places: &Places, wanted: &Wanted<'_>) -> Contents;

    /// Brings the consent that it asks for in line with the hooks of the draft. Notes what a person still has to do.
    fn settle_trust(
        &self,
        _: &Places,
        _: &mut Draft,
        _should_trust: bool,
        _: &mut Outcome,
    ) -> Result<(), InstallError> {
        Ok(())
    }
}

/// The files that hold a harness's servers.
pub(crate) struct ConfigFiles {
    /// All of them; what an earlier one says wins.
    pub(crate) by_precedence: Vec<PathBuf>,
    /// Where an entry goes that is in none of them yet.
    pub(crate) preferred: PathBuf,
}

impl ConfigFiles {
    /// The usual case.
    pub(crate) fn one(path: PathBuf) -> Self {
        Self { by_precedence: vec![path.clone()], preferred: path }
    }
}

/// A configuration format: text in, text out. An empty text is a configuration that says nothing.
pub(crate) trait Format: Sync {
    /// What our entry says, if there is one.
    fn read(&self, text: &str) -> Result<Option<Entry>, Problem>;

    /// The text with our entry in it, `None` for a file that is not there. Of an entry that is there already, only
    /// what differs changes.
    fn write(&self, text: Option<&str>, registration: &Registration) -> Result<String, Problem>;

    /// The text without our entry, `None` if the file was made for it.
    fn remove(&self, text: &str) -> Result<Option<String>, Problem>;
}

/// What is wrong with a text; which file it came from is added by [`Problem::in_file`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// It has a mistake in it.
    Unparsable { line: usize, column: usize, why: String },
    /// Something stands where a table belongs.
    WrongShape { key: String, found: String, wanted: &'static str },
}

impl Problem {
    /// The problem, as a failure that names the file.
    pub(crate) fn in_file(self, path: PathBuf) -> InstallError {
        match self {
            Self::Unparsable { line, column, why } => InstallError::Unparsable { path, line, column, why },
            Self::WrongShape { key, found, wanted } => InstallError::WrongShape { path, key, found, wanted },
        }
    }
}
