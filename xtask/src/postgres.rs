//! The PostgreSQL server that tests and benches are given.
//!
//! It goes with this process, so neither a failure nor Ctrl-C leaves it, or its directory, behind.

use std::process::Command;

use baton_cluster::{Cluster, Durability, Options};

use crate::run::{self, Outcome, say};

/// Tells tests and benches where the server is.
const VARIABLE: &str = "BATON_TEST_POSTGRES";
/// Many tests at once, each with several processes.
const CONNECTIONS_MAX: u32 = 400;

/// Runs a command that finds a server of its own in the environment.
pub(crate) fn run_with_server(mut command: Command, durability: Durability) -> Outcome {
    let options = Options { durability, max_connections: CONNECTIONS_MAX, ..Options::default() };
    let cluster = Cluster::start(options).map_err(|error| run::with_causes(&error))?;
    let url = cluster.url("postgres");
    say(&format!("a private PostgreSQL for this run: {VARIABLE}={url}"));
    command.env(VARIABLE, url);
    run::run(command)
}
