//! The engine for several machines: one Postgres database that any number of processes share.
//!
//! - [`address`] reads where the server is, with [`passfile`] and [`tls`]; [`connect`] gets there.
//! - [`wire`] moves bytes without a runtime; [`link`] is one connection, driven by the thread that uses it;
//!   [`pool`] keeps a few and comes back after the server was away.
//! - [`pipeline`] sends the statements of a transaction in as few round trips as its questions allow; [`tx`] is the
//!   transaction, [`engine`] runs it, again if need be; [`outcome`] finds out what became of a commit whose answer
//!   was lost.
//! - [`ring`] tells listeners; [`keeper`] is the one thread that hears it, and holds the seats of listeners.
//! - [`migrate`] brings the schema up to date; [`failure`] says what went wrong in the store's words.
//!
//! What must stay true: a write locks its room before it decides, time is the server's, a transaction is only run
//! again when it certainly was not committed, and no text that leaves here shows a password.

mod address;
mod connect;
mod engine;
mod failure;
mod keeper;
mod link;
mod migrate;
mod outcome;
mod passfile;
mod pipeline;
mod pool;
mod ring;
mod silence;
mod statement;
mod tls;
mod tx;
mod wire;

pub use address::{Address, BadAddress, Hints, Secret};

pub(crate) use engine::Postgres;
