//! `cargo xtask bench`: Baton and its yardsticks side by side.

use crate::run::{self, Outcome, cargo};

pub(crate) fn run(arguments: &[String]) -> Outcome {
    run::run(cargo(&["build", "--release", "--package", "baton-bench", "--package", "baton"]))?;
    let mut command = cargo(&["run", "--quiet", "--release", "--package", "baton-bench", "--"]);
    command.args(arguments);
    run::run(command)
}
