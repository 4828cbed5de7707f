//! The project's own tasks: `cargo xtask test|suites|check|bench|docs`.
//!
//! Each task is a file. They run the same commands a person would, print them, and stop at the first that fails.

mod bench;
mod browser;
mod check;
mod clients;
mod docs;
mod machine;
mod npm;
mod picture;
mod postgres;
mod run;
mod suites;
mod test;

use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask TASK

  test  [ARGS]   install what the tests need, start a private PostgreSQL, run them all; ARGS go to `cargo test`,
                 but --without-clients leaves out the tests that start the real codex and claude, and the suites,
                 and --without-browser those that look at pages in Chromium; without ARGS the suites are run, too
  suites         only the suites that others wrote, on the real program: MCP conformance, MCP inspector, schemathesis
  check          what a change must pass: format, lints, docs, dependencies, generated pages, tests
  bench [ARGS]   measure Baton beside its yardsticks, in release mode, with a private PostgreSQL; ARGS go to the bench
  docs           write the generated pages under docs/, and take the pictures of the dashboard
";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let task = arguments.next();
    let rest: Vec<String> = arguments.collect();
    let outcome = match task.as_deref() {
        Some("test") => test::run(&rest),
        Some("suites") if rest.is_empty() => suites::run(),
        Some("check") if rest.is_empty() => check::run(),
        Some("bench") => bench::run(&rest),
        Some("docs") if rest.is_empty() => docs::write(),
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            run::say(&problem);
            ExitCode::FAILURE
        }
    }
}
