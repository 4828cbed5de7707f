//! `baton brief …`

mod edit;
mod page;
mod show;

use std::process::ExitCode;

use baton_app::Failure;
use clap::Subcommand;

use crate::{context::Context, ui::Ui};

/// Say what the room is for, and what limits work in it
#[derive(Debug, Subcommand)]
pub(super) enum BriefCommand {
    Show(show::ShowArgs),
    Edit(Box<edit::EditArgs>),
}

impl BriefCommand {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Show(_) => "brief show",
            Self::Edit(_) => "brief edit",
        }
    }

    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        match self {
            Self::Show(args) => args.run(context, ui),
            Self::Edit(args) => args.run(context, ui),
        }
    }
}
