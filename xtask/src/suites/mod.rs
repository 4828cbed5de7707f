//! Suites that others wrote, against the real program: MCP's conformance suite and its inspector, over `baton up` and over
//! standard input and output, and schemathesis against the HTTP API.
//!
//! Each is installed once, under `target/suites`, in an exact version. Everything runs on a store of its own, and nothing
//! is left running.

mod conformance;
mod inspector;
mod schemathesis;
mod served;

use std::path::PathBuf;

use served::{Place, Served};

use crate::{
    machine,
    npm::{self, Packages},
    run::{self, Outcome, cargo, root, say},
};

/// What npm is to install, with exact versions. Only this one of the conformance suite knows revision 2026-07-28.
const PACKAGES: [&str; 2] =
    ["@modelcontextprotocol/conformance@0.2.0-alpha.12", "@modelcontextprotocol/inspector@2.12.0"];

/// What is left out with the real clients.
pub(crate) const NAMES: &str = "the MCP conformance suite, the MCP inspector and schemathesis";

/// Runs them all, and says what each came to.
pub(crate) fn run() -> Outcome {
    let advice = "To leave the outside suites out: cargo xtask test --without-clients";
    let (packages, schemathesis) =
        prepare().map_err(|why| format!("could not get the outside suites: {why}\n{advice}"))?;
    run::run(cargo(&["build", "--package", "baton"]))?;
    let place = Place::new()?;
    let mut served = Served::start(&place, &packages)?;
    let checks: [(&str, &dyn Fn() -> Outcome); 4] = [
        ("MCP conformance over HTTP", &|| conformance::over_http(&packages, &served, &place)),
        ("MCP conformance over standard input and output", &|| conformance::over_stdio(&packages, &place)),
        ("MCP inspector", &|| inspector::run(&packages, &served, &place)),
        ("schemathesis", &|| schemathesis::run(&schemathesis, &served, &place)),
    ];
    let mut failures = Vec::new();
    for (name, check) in checks {
        say(&format!("== {name}"));
        if let Err(why) = check() {
            say(&format!("FAILED: {name}: {why}"));
            failures.push(name);
        }
    }
    served.is_still_there()?;
    if failures.is_empty() { Ok(()) } else { Err(format!("outside suites failed: {}", failures.join(", "))) }
}

fn prepare() -> Result<(Packages, PathBuf), String> {
    machine::prepare_for_suites()?;
    let packages = Packages::in_directory(root().join("target/suites"));
    let mut wanted: Vec<String> = PACKAGES.map(str::to_owned).into();
    wanted.push(npm::node()?);
    packages.install("suites that others wrote", &wanted, |_| Ok(()))?;
    Ok((packages, schemathesis::install()?))
}
