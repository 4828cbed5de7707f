//! A running server known by its address, where each test makes a database for itself.

use std::{fmt::Write, path::Path};

use crate::{ClusterError, Programs, programs};

/// A running server and how to log in there as someone who may create databases.
#[derive(Clone, Debug)]
pub struct SharedCluster {
    programs: Programs,
    /// Everything before the database's name: `postgres://user@host:port/`.
    before: String,
    /// Everything after it: `?host=…`, or nothing.
    after: String,
}

impl SharedCluster {
    /// Takes the server's address from the address of any database there.
    pub fn from_url(url: &str) -> Result<Self, ClusterError> {
        let (scheme, rest) = url.split_once("://").ok_or(ClusterError::BadUrl)?;
        if !matches!(scheme, "postgres" | "postgresql") {
            return Err(ClusterError::BadUrl);
        }
        let (place, after) = rest.find('?').map_or((rest, ""), |at| rest.split_at(at));
        let authority = place.split_once('/').map_or(place, |(authority, _)| authority);
        let before = format!("{scheme}://{authority}/");
        Ok(Self { programs: Programs::find()?, before, after: after.to_owned() })
    }

    /// A server behind a Unix socket; `role` may carry a password.
    pub(crate) fn over_socket(programs: Programs, role: &str, directory: &Path, port: u16) -> Self {
        let directory = encoded(&directory.to_string_lossy());
        Self { programs, before: format!("postgres://{role}@/"), after: format!("?host={directory}&port={port}") }
    }

    /// The address of a database on this server.
    pub fn url(&self, database: &str) -> String {
        format!("{}{}{}", self.before, encoded(database), self.after)
    }

    /// Runs statements in one transaction (or one that cannot be in any) and returns their rows, unaligned.
    pub fn sql(&self, database: &str, text: &str) -> Result<String, ClusterError> {
        let mut psql = self.programs.command("psql");
        psql.args(["-X", "-A", "-t", "-q", "-w", "-v", "ON_ERROR_STOP=1", "-d", &self.url(database), "-c", text]);
        psql.env("PGCONNECT_TIMEOUT", "10");
        programs::output(psql, "psql")
    }

    /// Creates an empty database. Needs PostgreSQL 15 or later.
    pub fn create_database(&self, name: &str) -> Result<(), ClusterError> {
        // Copying the files is quicker than writing them to the log first, once nothing waits for the disk.
        let create = format!("CREATE DATABASE {} TEMPLATE template0 STRATEGY file_copy", quoted(name));
        self.sql("postgres", &create).map(drop)
    }

    /// Drops a database, if it is there, and ends its sessions.
    pub fn drop_database(&self, name: &str) -> Result<(), ClusterError> {
        self.sql("postgres", &format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", quoted(name))).map(drop)
    }
}

/// A name as an SQL identifier.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Text as a part of an address.
pub(crate) fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut encoded, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
        encoded
    })
}
