//! What is wrong with a configuration, and where.

use std::path::PathBuf;

/// A configuration that is not used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {fault}", path.display())]
pub struct ConfigError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// Somebody else could have written it.
    #[error("{0}, and it says which programs are run")]
    Untrusted(String),
    /// It is not TOML.
    #[error("it is not TOML: {0}")]
    NotToml(String),
    /// A key that means nothing.
    #[error("{key} is not a setting; there are {}", known.join(", "))]
    Unknown {
        /// The key, with the tables around it.
        key: String,
        /// The keys there are.
        known: Vec<&'static str>,
    },
    /// A value that does not fit.
    #[error("{key} is to be {wanted}")]
    Value {
        /// The key, with the tables around it.
        key: String,
        /// What it could be.
        wanted: String,
    },
}

impl Fault {
    /// What the user can do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "Make the file readable, or set BATON_CONFIG to another one.",
            Self::Untrusted(_) => "Make sure that it says what you want, then take the rights of others: chmod go-w.",
            Self::NotToml(_) | Self::Unknown { .. } | Self::Value { .. } => "Correct the file, then try again.",
        }
    }
}
