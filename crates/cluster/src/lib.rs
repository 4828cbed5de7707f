//! A private PostgreSQL server for tests and benches: real, disposable, and gone with whoever started it.
//!
//! [`Cluster`] is a server of our own: a fresh data directory, a port of its own, killed and restarted at will.
//! [`SharedCluster`] is a running server known by its address, where each test makes a database for itself;
//! `cargo xtask test` starts one for all tests. Nothing here reads the environment but `programs.rs`, which looks
//! along `PATH`; who is told of a server through a variable reads that variable itself.
//!
//! ```text
//! the starter ── keeper thread ── postgres      asked by the kernel to quit when the starter is gone (server.rs)
//!      └──────── pipe ─────────── janitor       sees the pipe close, waits for postgres, removes the directory
//! ```
//!
//! What must stay true: neither a server nor its directory outlives its starter, not even one that was SIGKILLed.

mod account;
mod cluster;
mod error;
mod janitor;
mod options;
mod place;
mod port;
pub mod processes;
mod programs;
mod server;
mod shared;

pub use cluster::Cluster;
pub use error::ClusterError;
pub use options::{Authentication, Durability, Options, Tls};
pub use programs::Programs;
pub use shared::SharedCluster;
