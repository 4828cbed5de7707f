//! `baton anchor …`

mod list;
mod set;

use std::process::ExitCode;

use baton_app::Failure;
use clap::Subcommand;

use crate::{context::Context, ui::Ui};

/// Describe the parts of the map that jobs and cards are about
#[derive(Debug, Subcommand)]
pub(super) enum AnchorCommand {
    Set(set::SetArgs),
    List(list::ListArgs),
}

impl AnchorCommand {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Set(_) => "anchor set",
            Self::List(_) => "anchor list",
        }
    }

    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        match self {
            Self::Set(args) => args.run(context, ui),
            Self::List(args) => args.run(context, ui),
        }
    }
}
