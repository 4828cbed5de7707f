//! `cargo xtask test`: everything, on a fresh machine too, with a PostgreSQL server for the tests that need one.

use baton_cluster::Durability;

use crate::{
    machine,
    postgres::run_with_server,
    run::{Outcome, cargo},
};

pub(crate) fn run(arguments: &[String]) -> Outcome {
    machine::prepare()?;
    let mut command = cargo(&["test", "--workspace", "--no-fail-fast"]);
    command.args(arguments);
    run_with_server(command, Durability::Fast)
}
