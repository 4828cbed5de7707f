//! Where rooms are kept: projections for fast reads, and the log they are the fold of.
//!
//! SQL is written once, in the subset that SQLite and Postgres share, in one file per table ([`rooms`], [`log`],
//! [`scopes`] …). What differs between engines is behind two small traits: [`engine::Tx`] runs a statement,
//! [`engine::Engine`] runs a transaction and wakes those who wait. This crate does not decide anything; it loads
//! what the core decides on and stores what it decided, in one transaction.
//!
//! What must stay true: the rows of a room and its log change together or not at all, and `seq` has no gaps.
#![warn(missing_docs)]

pub mod agent_sessions;
pub mod boot_clock;
pub mod clock;
mod column;
pub mod engine;
mod error;
mod fields;
pub mod hosts;
pub mod idempotency;
pub mod incursions;
mod location;
pub mod log;
pub mod needs;
#[cfg(test)]
mod plans;
mod postgres;
pub mod presence;
mod question;
pub mod references;
pub mod rooms;
mod schema;
pub mod search;
mod sql;
mod sqlite;
mod store;
pub mod table;
mod tables;
pub mod waits;

pub use error::StoreError;
pub use location::Location;
pub use postgres::{Address, BadAddress, Hints, Secret};
pub use schema::SCHEMA_VERSION;
pub use sqlite::DATABASE_FILE;
pub use store::{Check, ServerInfo, Store, StoreInfo};
pub use tables::{bus, context, envelopes, former, inbox, jobs, library, runners, scopes, spawns, tasks, turns};
