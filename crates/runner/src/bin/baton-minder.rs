//! The minder as a program of its own: `baton-minder minder …`, as the runner starts `baton minder …`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().skip(2).collect();
    baton_runner::process::minder::run(&words)
}
