//! Where a store is.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use crate::{
    StoreError,
    postgres::{Address, Hints},
};

/// A place that a store can be in. Its text never shows a password.
#[derive(Clone, Debug)]
pub enum Location {
    /// A directory with the embedded database.
    Directory(PathBuf),
    /// A Postgres server.
    Postgres(Box<Address>),
}

impl Location {
    /// Reads what a person wrote: the address of a server, or else the path of a directory, relative to `cwd`.
    pub fn parse(text: &str, cwd: &Path, hints: &Hints) -> Result<Self, StoreError> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            let address = Address::parse(text, hints);
            return match address {
                Ok(address) => Ok(Self::Postgres(Box::new(address))),
                Err(error) => Err(StoreError::BadAddress { detail: error.to_string() }),
            };
        }
        if let Some((scheme, _)) = text.split_once("://") {
            let detail = format!("{scheme} is no kind of store; use postgres://user@host/database or a directory");
            return Err(StoreError::BadAddress { detail });
        }
        if text.is_empty() {
            return Err(StoreError::BadAddress { detail: "it is empty".to_owned() });
        }
        Ok(Self::Directory(cwd.join(text)))
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Directory(directory) => directory.display().fmt(f),
            Self::Postgres(address) => address.fmt(f),
        }
    }
}
