//! What can go wrong with a server of our own.

use std::io;

/// Why a server could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// The machine has no complete PostgreSQL.
    #[error("PostgreSQL was not found, neither on PATH nor under /usr/lib/postgresql (Debian package: postgresql)")]
    NotInstalled,
    /// We are root, and there is no other account to run the server as.
    #[error("PostgreSQL does not run as root, and there is no account `postgres` or `nobody` to run it as")]
    NoAccount,
    /// A program of the system or of PostgreSQL failed.
    #[error("{program} failed: {output}")]
    Program {
        /// The program's name.
        program: String,
        /// What it said.
        output: String,
    },
    /// The server ended, or did not accept connections in time.
    #[error("the server did not start: {why}\n{log}")]
    Start {
        /// What was seen.
        why: String,
        /// What the server wrote to its log.
        log: String,
    },
    /// Another process has the port.
    #[error("port {0} is taken")]
    PortTaken(u16),
    /// No port is free on all the addresses.
    #[error("found no free port on {0}")]
    NoPort(String),
    /// The server does not run.
    #[error("the server is not running")]
    NotRunning,
    /// The server did not go away.
    #[error("the server did not end")]
    StillRunning,
    /// The text is not the address of a server.
    #[error("not a postgres:// address")]
    BadUrl,
    /// The operating system refused something.
    #[error("{what}")]
    System {
        /// What was tried.
        what: String,
        /// The refusal.
        source: io::Error,
    },
}

impl ClusterError {
    /// Says what was being done when the system refused; for `map_err`.
    pub(crate) fn system<E: Into<io::Error>>(what: impl Into<String>) -> impl FnOnce(E) -> Self {
        let what = what.into();
        |source| Self::System { what, source: source.into() }
    }
}
