//! The `baton` binary: arguments in, text or JSON out.
//!
//! Each command is one file under [`commands`]; it calls one use case of the command table and shows the answer
//! through [`ui`], the only place that prints. What a refusal means for the exit status is in [`exit`].

mod audience;
mod autostart;
mod commands;
mod context;
mod editor;
mod exit;
mod handoff;
mod operator;
mod parse;
mod patience;
mod render;
mod select;
mod standing;
mod text;
mod ui;
mod wording;

use std::process::ExitCode;

fn main() -> ExitCode {
    commands::run()
}
