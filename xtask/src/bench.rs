//! `cargo xtask bench`: Baton and its yardsticks side by side, on a PostgreSQL server that waits for the disk.

use baton_cluster::Durability;

use crate::{
    machine,
    postgres::run_with_server,
    run::{self, Outcome, cargo},
};

pub(crate) fn run(arguments: &[String]) -> Outcome {
    machine::prepare()?;
    run::run(cargo(&["build", "--release", "--package", "baton-bench", "--package", "baton"]))?;
    let mut command = cargo(&["run", "--quiet", "--release", "--package", "baton-bench", "--"]);
    command.args(arguments);
    run_with_server(command, Durability::Safe)
}
