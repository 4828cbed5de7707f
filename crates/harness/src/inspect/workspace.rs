//! All that decides whether a program runs the hooks it has.

use std::{
    fmt,
    path::{Path, PathBuf},
};

/// The place where an agent would be started.
#[derive(Clone, Copy)]
pub struct Workspace<'a> {
    /// The root of the repository, or the current directory.
    pub root: &'a Path,
    /// A variable of the environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

impl Workspace<'_> {
    /// The first of these variables that is set to something that means yes.
    pub(crate) fn enabled_variable(&self, names: &[&'static str]) -> Option<OffSwitch> {
        let is_on = |name: &&&str| {
            let value = (self.variable)(name).unwrap_or_default().to_lowercase();
            ["1", "true", "yes", "on"].contains(&value.as_str())
        };
        names.iter().find(is_on).map(|name| OffSwitch::Variable { name })
    }
}

/// A setting that keeps a program from running its hooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OffSwitch {
    /// In a file.
    Setting { setting: String, path: PathBuf },
    /// In the environment.
    Variable { name: &'static str },
}

impl OffSwitch {
    pub(crate) fn in_file(setting: impl Into<String>, path: &Path) -> Self {
        Self::Setting { setting: setting.into(), path: path.to_owned() }
    }
}

impl fmt::Display for OffSwitch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setting { setting, path } => write!(f, "{setting} in {}", path.display()),
            Self::Variable { name } => write!(f, "the variable {name}"),
        }
    }
}

/// The consent that a program asks a person for before it runs hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// It asks for none, or has it.
    Given,
    /// Nobody gave it yet.
    Missing,
    /// It was given to hooks of another text.
    OfAnotherText,
    /// The program does not trust the repository.
    UntrustedRepository,
}
