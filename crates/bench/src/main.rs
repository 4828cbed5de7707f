//! The bench behind `cargo xtask bench`: Baton and a raw yardstick side by side, in one run.
//!
//! Machines differ, so a target is a ratio wherever there is something to compare with: raw SQLite with the same
//! schema, a bare inotify bell, a bare rmcp server, a bare echo. Both sides run in alternating slices, so that noise hits both.
//! Start at [`rows`]; each row of the table in the design is one file there.
//!
//! What must stay true: nothing here asserts a timing. A target that was missed is told, and the run still succeeds.
//!
//! The processes that a row needs (writers, servers, watchers) are this program itself, started again with one of
//! the names in [`helpers`], so that the bench needs no second binary.
#![expect(clippy::disallowed_methods, reason = "a bench measures time, sleeps, and drives a database without Baton")]

mod arguments;
mod bare;
mod bell;
mod bus;
mod crew;
mod helpers;
mod jobs;
mod player;
mod process;
mod raw;
mod raw_postgres;
mod report;
mod rows;
mod servers;
mod stats;
mod trouble;
mod wire;
mod worker;

use std::{
    env, fs,
    io::{self, Write},
    process::ExitCode,
};

use arguments::Arguments;
use trouble::Outcome;

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let done = match helpers::find(&words) {
        Some(helper) => helper(words.get(1..).unwrap_or_default()),
        None => bench(&words),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            // There is nobody left to tell when standard error is closed.
            let _ = writeln!(io::stderr(), "bench: {trouble}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the rows that were asked for and tells what they found.
fn bench(words: &[String]) -> Outcome<()> {
    let arguments = Arguments::parse(words)?;
    let mut findings = Vec::new();
    for row in rows::ROWS.iter().filter(|row| arguments.wants(row)) {
        writeln!(io::stderr(), "row {}: {}", row.number, row.name)?;
        findings.push(report::Finding { row, result: (row.run)(&arguments.setting) });
    }
    writeln!(io::stdout(), "{}", report::table(&findings))?;
    if let Some(path) = &arguments.json {
        fs::write(path, format!("{:#}\n", report::json(&findings, &arguments.setting)))?;
    }
    Ok(())
}
