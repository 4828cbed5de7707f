//! The MCP conformance suite, at each revision that it knows. It speaks HTTP only, so over standard input and output it
//! goes through a bridge.
//!
//! What it may fail is in `xtask/suites/conformance`, check by check, with the reason; the suite itself fails on a check
//! that is missing there and on one that is there for nothing.

use std::{fs, path::PathBuf};

use super::served::{Listening, Place, Served, baton, script};
use crate::{
    npm::Packages,
    run::{Outcome, quietly, say},
};

/// The revisions of which the suite has scenarios for servers.
const REVISIONS: [&str; 3] = ["2025-06-18", "2025-11-25", "2026-07-28"];

pub(super) fn over_http(packages: &Packages, served: &Served, place: &Place) -> Outcome {
    let may_fail = |revision: &str| Ok(listed(revision));
    at_each_revision(packages, served.url(), place, may_fail)
}

pub(super) fn over_stdio(packages: &Packages, place: &Place) -> Outcome {
    let mut bridge = packages.script(&script("bridge.mjs"))?;
    bridge.arg(baton()).arg("mcp");
    place.settle(&mut bridge);
    let bridge = Listening::start(bridge)?;
    // What is HTTP's alone is listed apart and comes on top.
    let may_fail = |revision: &str| {
        let failed = |error: std::io::Error| error.to_string();
        let mut text = fs::read_to_string(listed(revision)).map_err(failed)?;
        let more = listed(&format!("stdio-{revision}"));
        if more.exists() {
            text.push_str(&fs::read_to_string(more).map_err(failed)?);
        }
        let both = place.at(&format!("stdio-{revision}.yml"));
        fs::write(&both, text).map_err(failed)?;
        Ok(both)
    };
    at_each_revision(packages, bridge.said.trim(), place, may_fail)
}

fn at_each_revision(
    packages: &Packages,
    url: &str,
    place: &Place,
    may_fail: impl Fn(&str) -> Result<PathBuf, String>,
) -> Outcome {
    let mut failures = Vec::new();
    for revision in REVISIONS {
        let mut suite = packages.program("conformance")?;
        suite.args(["server", "--suite", "all", "--spec-version", revision, "--url", &format!("{url}/mcp")]);
        suite.arg("--output-dir").arg(place.at(&format!("conformance-{revision}")));
        suite.arg("--expected-failures").arg(may_fail(revision)?);
        place.settle(&mut suite);
        match quietly(suite) {
            // Most of what fails is expected to, so this is only to see that something was done.
            Ok(said) => said.lines().filter(|line| line.starts_with("Total:")).for_each(say),
            Err(why) => failures.push(why),
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

/// What may fail at a revision.
fn listed(revision: &str) -> PathBuf {
    script("conformance").join(revision).with_extension("yml")
}
