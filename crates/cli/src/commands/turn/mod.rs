//! `baton turn …`

mod begin;
mod end;
mod list;

use std::process::ExitCode;

use baton_app::Failure;
use clap::Subcommand;

use crate::{context::Context, ui::Ui};

/// See agents' turns; begin one with all that waits for you, and say how it ended
#[derive(Debug, Subcommand)]
pub(super) enum TurnCommand {
    List(list::ListArgs),
    Begin(begin::BeginArgs),
    End(end::EndArgs),
}

impl TurnCommand {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::List(_) => "turn list",
            Self::Begin(_) => "turn begin",
            Self::End(_) => "turn end",
        }
    }

    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        match self {
            Self::List(args) => args.run(context, ui),
            Self::Begin(args) => args.run(context, ui),
            Self::End(args) => args.run(context, ui),
        }
    }
}
