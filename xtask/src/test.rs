//! `cargo xtask test`: everything, on a fresh machine too, with a PostgreSQL server for the tests that need one.

use baton_cluster::Durability;

use crate::{
    machine,
    postgres::run_with_server,
    run::{Outcome, cargo},
};

pub(crate) fn run(arguments: &[String]) -> Outcome {
    machine::prepare()?;
    let mut command = cargo(&["test", "--no-fail-fast"]);
    // Everything, unless packages are named: cargo would go on to take all of them.
    let names_packages = |word: &String| word.starts_with("-p") || word.starts_with("--package");
    if !arguments.iter().any(names_packages) {
        command.arg("--workspace");
    }
    command.args(arguments);
    run_with_server(command, Durability::Fast)
}
