//! `baton edge …`

mod add;
mod list;
mod remove;

use std::process::ExitCode;

use baton_app::Failure;
use clap::Subcommand;

use crate::{context::Context, ui::Ui};

/// Say between whom envelopes may go, where the room's policy is explicit
///
/// `baton room policy --edges explicit` turns it on; without it everybody may write to everybody.
#[derive(Debug, Subcommand)]
pub(super) enum EdgeCommand {
    List(list::ListArgs),
    Add(add::AddArgs),
    Remove(remove::RemoveArgs),
}

impl EdgeCommand {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::List(_) => "edge list",
            Self::Add(_) => "edge add",
            Self::Remove(_) => "edge remove",
        }
    }

    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        match self {
            Self::List(args) => args.run(context, ui),
            Self::Add(args) => args.run(context, ui),
            Self::Remove(args) => args.run(context, ui),
        }
    }
}
