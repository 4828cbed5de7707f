//! What is registered: the command a harness starts, and how to tell it from what is there.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
};

use baton_app::{Location, environment::Environment};

use super::InstallError;

/// The name of our entry in every configuration.
pub(super) const NAME: &str = "baton";

/// The variables that decide which store is used. One that is left over from an earlier installation would send
/// the harness to another store than the shell, so an entry has exactly those that are wanted.
pub(super) const STORE_VARIABLES: [&str; 3] = ["BATON_DATA_DIR", "BATON_STORE", "TALKING_STICK_DATA_DIR"];

/// How a harness is to start Baton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Registration {
    command: String,
    arguments: Vec<String>,
    variables: BTreeMap<String, String>,
}

impl Registration {
    /// Registers `program mcp`, followed by `extra_arguments`, with `variables` in its environment.
    pub(crate) fn new(
        program: &Path,
        extra_arguments: impl IntoIterator<Item = String>,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, InstallError> {
        let command = program.to_str().filter(|_| program.is_absolute());
        let Some(command) = command else {
            return Err(InstallError::UnusableCommand { path: PathBuf::from(program) });
        };
        Ok(Self {
            command: command.to_owned(),
            arguments: std::iter::once("mcp".to_owned()).chain(extra_arguments).collect(),
            variables: variables.into_iter().collect(),
        })
    }

    /// The program.
    pub(super) fn command(&self) -> &str {
        &self.command
    }

    /// What it is called with.
    pub(super) fn arguments(&self) -> &[String] {
        &self.arguments
    }

    /// The program and what it is called with.
    pub(super) fn command_line(&self) -> Vec<String> {
        std::iter::once(&self.command).chain(&self.arguments).cloned().collect()
    }

    /// What it needs in its environment.
    pub(super) fn variables(&self) -> &BTreeMap<String, String> {
        &self.variables
    }

    /// The variables an existing entry must not have.
    pub(super) fn unwanted_variables(&self) -> impl Iterator<Item = &'static str> {
        STORE_VARIABLES.into_iter().filter(|name| !self.variables.contains_key(*name))
    }

    /// An entry that says exactly this.
    pub(super) fn as_entry(&self) -> Entry {
        Entry { command_line: self.command_line(), variables: self.variables.clone(), enabled: true }
    }
}

/// What an entry named `baton` says, whatever format it is written in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The program and its arguments; only the address for a server that is reached over HTTP.
    pub(super) command_line: Vec<String>,
    /// Its environment.
    pub(super) variables: BTreeMap<String, String>,
    /// Whether the harness starts it.
    pub(super) enabled: bool,
}

impl Entry {
    /// Whether installing would change nothing. Variables that are nobody's business but the person's do not count.
    pub(super) fn satisfies(&self, registration: &Registration) -> bool {
        self.enabled
            && self.command_line == registration.command_line()
            && registration.variables.iter().all(|(name, value)| self.variables.get(name) == Some(value))
            && registration.unwanted_variables().all(|name| !self.variables.contains_key(name))
    }
}

impl fmt::Display for Entry {
    /// Writes the command as in a shell, with Baton's own variables. Other variables may be secrets, and so may
    /// be whatever follows the scheme of an address.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.variables {
            if name.starts_with("BATON_") || STORE_VARIABLES.contains(&name.as_str()) {
                write!(f, "{name}={} ", without_address(value))?;
            }
        }
        let words: Vec<_> = self.command_line.iter().map(|word| without_address(word)).collect();
        f.write_str(&words.join(" "))?;
        f.write_str(if self.enabled { "" } else { " (disabled)" })
    }
}

fn without_address(word: &str) -> String {
    match word.split_once("://") {
        Some((scheme, rest)) if rest.contains('@') => match Environment::default().store_location(Some(word)) {
            // It shows where, and never the password.
            Ok(store @ Location::Postgres(_)) => store.to_string(),
            Ok(Location::Directory(_)) | Err(_) => format!("{scheme}://…"),
        },
        _ => word.to_owned(),
    }
}
