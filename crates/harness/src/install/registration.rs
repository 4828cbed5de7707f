//! What is registered: the command a harness starts, and how to tell it from what is there.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
};

use super::InstallError;

/// The name of our entry in every configuration.
pub(crate) const NAME: &str = "baton";

/// The variables that decide which store is used. One that is left over from an earlier installation would send
/// the harness to another store than the shell, so an entry has exactly those that are wanted.
pub(crate) const STORE_VARIABLES: [&str; 3] = ["BATON_DATA_DIR", "BATON_STORE", "TALKING_STICK_DATA_DIR"];

/// How a harness is to start Baton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    command: String,
    arguments: Vec<String>,
    variables: BTreeMap<String, String>,
}

impl Registration {
    /// Registers `program mcp`, followed by `extra_arguments`, with `variables` in its environment.
    pub fn new(
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

    /// Registers `baton mcp`, for files that a team shares: each machine has it somewhere in its `PATH`.
    pub fn shared() -> Self {
        Self { command: NAME.to_owned(), arguments: vec!["mcp".to_owned()], variables: BTreeMap::new() }
    }

    /// Whether the program is looked up in `PATH`.
    pub(crate) fn is_shared(&self) -> bool {
        !Path::new(&self.command).is_absolute()
    }

    /// The program.
    pub(crate) fn command(&self) -> &str {
        &self.command
    }

    /// What it is called with.
    pub(crate) fn arguments(&self) -> &[String] {
        &self.arguments
    }

    /// The program and what it is called with.
    pub(crate) fn command_line(&self) -> Vec<String> {
        std::iter::once(&self.command).chain(&self.arguments).cloned().collect()
    }

    /// What it needs in its environment.
    pub(crate) fn variables(&self) -> &BTreeMap<String, String> {
        &self.variables
    }

    /// The variables an existing entry must not have.
    pub(crate) fn unwanted_variables(&self) -> impl Iterator<Item = &'static str> {
        STORE_VARIABLES.into_iter().filter(|name| !self.variables.contains_key(*name))
    }

    /// An entry that says exactly this.
    pub(crate) fn as_entry(&self) -> Entry {
        Entry { command_line: self.command_line(), variables: self.variables.clone(), enabled: true }
    }
}

/// What an entry named `baton` says, whatever format it is written in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The program and its arguments; only the address for a server that is reached over HTTP.
    pub(crate) command_line: Vec<String>,
    /// Its environment.
    pub(crate) variables: BTreeMap<String, String>,
    /// Whether the harness starts it.
    pub(crate) enabled: bool,
}

impl Entry {
    /// Whether it starts a Baton, this one or another, or reaches one over HTTP. The program may have any name.
    pub(crate) fn is_of_baton(&self) -> bool {
        match self.command_line.as_slice() {
            [] => true,
            [address] if address.contains("://") => address.trim_end_matches('/').ends_with("/mcp"),
            [_, arguments @ ..] => arguments.first().is_some_and(|first| first == "mcp"),
        }
    }

    /// Whether installing would change nothing. Variables that are nobody's business but the person's do not count.
    pub(crate) fn satisfies(&self, registration: &Registration) -> bool {
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

/// A word in which an address has lost its password and its parameters. An address of another kind than a store's
/// may hold a secret anywhere.
fn without_address(word: &str) -> String {
    match word.split_once("://") {
        Some((scheme, rest)) if rest.contains('@') => {
            let shown = store_address(rest).filter(|_| ["postgres", "postgresql"].contains(&scheme));
            format!("{scheme}://{}", shown.as_deref().unwrap_or("…"))
        }
        _ => word.to_owned(),
    }
}

/// `user@host/database` of what follows the scheme. A password may have any character in it, so an address with
/// another `@` than the one before the host shows nothing.
fn store_address(rest: &str) -> Option<String> {
    let address = rest.split_once('?').map_or(rest, |(address, _)| address);
    let (authority, database) = address.split_once('/').unwrap_or((address, ""));
    let (user, host) = authority.split_once('@')?;
    let is_plain = !host.contains('@') && !database.contains(['@', '/']);
    let user = user.split_once(':').map_or(user, |(user, _)| user);
    is_plain.then(|| format!("{user}@{host}/{database}"))
}

#[cfg(test)]
mod tests {
    use super::without_address;

    #[test]
    fn an_address_is_shown_without_its_password() {
        let cases = [
            ("postgres://ana@db.example/baton?sslmode=verify-full", "postgres://ana@db.example/baton"),
            ("postgresql://ana:hunter2@db.example:5432/baton", "postgresql://ana@db.example:5432/baton"),
            ("postgres://ana@db.example/baton?password=hunter2", "postgres://ana@db.example/baton"),
            ("postgres://ana:hun@ter2@db.example/baton", "postgres://…"),
            ("postgres://ana:hun/ter@2@db.example/baton", "postgres://…"),
            ("postgres://ana:hun?ter2@db.example/baton", "postgres://…"),
            ("http://u:p@host/mcp", "http://…"),
            ("http://host/mcp", "http://host/mcp"),
            ("/opt/a@b", "/opt/a@b"),
        ];
        for (word, shown) in cases {
            assert_eq!(without_address(word), shown);
        }
    }
}
