//! `cargo xtask test`: everything, on a fresh machine too.

use crate::{
    machine,
    run::{self, Outcome, cargo},
};

pub(crate) fn run(arguments: &[String]) -> Outcome {
    machine::prepare()?;
    let mut command = cargo(&["test", "--workspace", "--no-fail-fast"]);
    command.args(arguments);
    run::run(command)
}
