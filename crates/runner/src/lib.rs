//! Runs jobs: the only part of Baton that executes anything.
//!
//! - [`config`] is what the user allows.
//! - [`executor`] knows the agent programs: how each is started, what its stream means, where its answer is.
//! - [`process`] runs a program as a child that ends with the runner, however the runner ends.
//! - [`workspace`] gives a job a working tree and tells what changed in it.
//!
//! What must stay true: what is executed comes from the user's own configuration, never from a job or a repository,
//! and nothing of it outlives the runner.

pub mod config;
pub mod executor;
pub mod process;
pub mod workspace;
