//! The server's and the network's errors, in the store's words.

use std::error::Error as _;

use tokio_postgres::{Error, error::SqlState};

use super::connect::LOCK_DEADLINE;
use crate::{StoreError, engine::missed};

/// What went wrong on a connection.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The server said so, or the protocol broke.
    Server(Error),
    /// The connection ended.
    Ended,
    /// No answer came in time.
    TimedOut,
}

/// What can be done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    /// The transaction met another one: run it again from the start.
    Again,
    /// The connection is gone: run it again on another, unless it may have been committed.
    Reconnect,
    /// Nothing.
    None,
}

impl Trouble {
    pub(super) fn remedy(&self) -> Remedy {
        let error = match self {
            Self::Server(error) => error,
            Self::Ended | Self::TimedOut => return Remedy::Reconnect,
        };
        match error.code() {
            Some(code) if AGAIN.contains(code) => Remedy::Again,
            Some(code) if is_away(code) => Remedy::Reconnect,
            Some(_) => Remedy::None,
            // Not from the server: the socket or the protocol.
            None => Remedy::Reconnect,
        }
    }

    /// The server's code, if it was the server.
    pub(super) fn code(&self) -> Option<&SqlState> {
        match self {
            Self::Server(error) => error.code(),
            Self::Ended | Self::TimedOut => None,
        }
    }

    /// What was said, in one line. The server's words never have the password in them, nor have the system's.
    pub(super) fn detail(&self) -> String {
        match self {
            Self::Ended => "the connection ended".to_owned(),
            Self::TimedOut => "no answer came in time".to_owned(),
            Self::Server(error) => match error.as_db_error() {
                Some(said) => said.message().to_owned(),
                None => error.source().map_or_else(|| error.to_string(), |source| source.to_string()),
            },
        }
    }

    /// The store's error for it.
    pub(super) fn at(&self, place: &str) -> StoreError {
        let (place, detail) = (place.to_owned(), self.detail());
        let Some(code) = self.code() else {
            return match detail.as_str() {
                NO_PASSWORD => {
                    StoreError::Denied { place, detail: "it wants a password, and none was given".to_owned() }
                }
                _ => StoreError::Unreachable { place, detail },
            };
        };
        match *code {
            SqlState::INVALID_PASSWORD | SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
                StoreError::Denied { place, detail }
            }
            SqlState::INVALID_CATALOG_NAME => {
                StoreError::Denied { place, detail: format!("{detail}; create it first, as with `createdb`") }
            }
            SqlState::INSUFFICIENT_PRIVILEGE => StoreError::Denied { place, detail },
            SqlState::LOCK_NOT_AVAILABLE => {
                // Who it is, the engine finds out.
                StoreError::Busy { holder: "another process".to_owned(), waited_ms: LOCK_DEADLINE.as_millis() as u64 }
            }
            SqlState::READ_ONLY_SQL_TRANSACTION => StoreError::ReadOnly { place, detail },
            SqlState::DISK_FULL => StoreError::Full { place },
            SqlState::DATA_CORRUPTED | SqlState::INDEX_CORRUPTED => StoreError::Corrupt { place, detail },
            SqlState::UNDEFINED_TABLE | SqlState::UNDEFINED_COLUMN | SqlState::INVALID_SCHEMA_NAME => {
                StoreError::Corrupt { place, detail }
            }
            SqlState::UNDEFINED_OBJECT => {
                StoreError::Unavailable { place, detail: format!("{detail}; Baton needs PostgreSQL 12 or newer") }
            }
            ref code if is_away(code) => StoreError::Unreachable { place, detail },
            _ => StoreError::Unavailable { place, detail },
        }
    }

    /// The same for a statement that had to change one row of `table`.
    pub(super) fn of_change(&self, place: &str, table: &'static str, key: &str) -> StoreError {
        match self.code() {
            Some(&SqlState::DIVISION_BY_ZERO) => missed(table, key),
            Some(_) | None => self.at(place),
        }
    }
}

/// What the library says, which has no code for it, when the server wants a password and the address has none.
const NO_PASSWORD: &str = "password missing";

/// Two transactions met, and one had to give way. A row that is there already is one that was not when we looked.
const AGAIN: &[SqlState] =
    &[SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED, SqlState::UNIQUE_VIOLATION];

/// The server shuts down, starts up, has no connection left, or threw this one out.
fn is_away(code: &SqlState) -> bool {
    const AWAY: &[SqlState] = &[
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::TOO_MANY_CONNECTIONS,
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        SqlState::DATABASE_DROPPED,
    ];
    AWAY.contains(code) || code.code().starts_with("08")
}
