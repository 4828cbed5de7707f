//! What the environment knows. The caller reads it; nothing in this crate does.

use std::{fmt, path::PathBuf};

use crate::postgres::passfile;

/// What the environment adds to a URL, as libpq would add it.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// Who connects when the URL does not say: `PGUSER`, or the user of the operating system.
    pub user: Option<String>,
    /// `PGPASSWORD`.
    pub password: Option<Secret>,
    /// `PGPASSFILE`, or `~/.pgpass`.
    pub password_file: Option<PathBuf>,
    /// `~/.postgresql/root.crt`. It need not exist.
    pub root_certificates: Option<PathBuf>,
}

/// A password. It can be used and not be shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    /// Keeps a password, which need not be UTF-8.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// Nothing is a password only in name: libpq takes it for none.
    pub(super) fn unless_empty(self) -> Option<Self> {
        (!self.0.is_empty()).then_some(self)
    }

    /// A password file of libpq with which every login finds this password. None, where such a file cannot hold it.
    pub fn as_password_file(&self) -> Option<Vec<u8>> {
        passfile::write_for_any_login(&self.0)
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}
