//! The embedded engine: one SQLite file that many processes share, with no daemon.
//!
//! - [`open`] is the only code that opens the file, with its modes and pragmas; [`migrate`] brings it up to date.
//! - [`busy`] waits for the write lock: fairly, and not for ever.
//! - [`checkpoint`] moves the write-ahead log into the file, after the commit and never inside it.
//! - [`clock`] tells the time, whatever happens to the wall clock.
//! - [`doorbell`] wakes those who wait in other processes; [`seat`] lets a member wait only once.
//! - [`filesystem`] refuses places where locks cannot be trusted.
//! - [`memory`] spares a transaction the reading of a room that nobody else has changed.

mod busy;
mod checkpoint;
mod clock;
mod doorbell;
mod engine;
mod failure;
mod filesystem;
mod memory;
mod migrate;
mod open;
mod seat;
mod tx;

pub use open::DATABASE_FILE;

pub(crate) use engine::Sqlite;
