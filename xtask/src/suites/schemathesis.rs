//! Schemathesis: thousands of requests made from `/openapi.json`, none of which may be answered with a 5xx or with
//! something that the document does not promise.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::served::{Place, Served, script};
use crate::run::{Outcome, output, quietly, root, run as run_command, say};

const PACKAGE: &str = "schemathesis==4.32.5";
/// The same requests every time.
const SEED: &str = "6";
/// Requests for each operation beside those that cover its schema.
const EXAMPLES: &str = "3";
/// Checks that are left out. Whatever fits a schema may still be refused, with 400 and the field: that a text must say
/// something, that two fields exclude each other and that 1.0 is no count are rules that no schema here tells. And the door
/// has a token for everybody, so whether one is needed cannot be seen from there; the tests of `crates/http` see to that.
const LEFT_OUT: &str = "positive_data_acceptance,ignored_auth";

/// Installs it, unless it is there, and gives the program.
pub(super) fn install() -> Result<PathBuf, String> {
    let directory = root().join("target/suites/venv");
    let program = directory.join("bin/schemathesis");
    let stamp = directory.join("installed");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == PACKAGE) {
        return Ok(program);
    }
    let mut venv = Command::new("python3");
    venv.args(["-m", "venv", "--clear"]).arg(&directory);
    run_command(venv)?;
    let mut pip = Command::new(directory.join("bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", PACKAGE]);
    run_command(pip)?;
    let mut version = Command::new(&program);
    version.arg("--version");
    output(version)?;
    fs::write(stamp, PACKAGE).map_err(|error| error.to_string())?;
    Ok(program)
}

pub(super) fn run(program: &Path, served: &Served, place: &Place) -> Outcome {
    let mut schemathesis = Command::new(program);
    schemathesis.arg("run").arg(format!("{}/openapi.json", served.url()));
    // One worker: with two, Python 3.11 now and then loses count of its own recursion while it parses.
    schemathesis.args(["--seed", SEED, "--max-examples", EXAMPLES, "--workers", "1", "--phases", "coverage,fuzzing"]);
    schemathesis.args(["--checks", "all", "--exclude-checks", LEFT_OUT, "--no-color"]);
    schemathesis.env("PYTHONPATH", script("")).env("PYTHONDONTWRITEBYTECODE", "1");
    schemathesis.env("SCHEMATHESIS_HOOKS", "hooks").env("BATON_URL", served.url());
    place.settle(&mut schemathesis);
    let said = quietly(schemathesis)?;
    said.lines().filter(|line| line.contains(" generated, ")).for_each(say);
    Ok(())
}
