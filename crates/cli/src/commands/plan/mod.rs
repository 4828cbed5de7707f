//! `baton plan …`

mod create;
mod list;

use std::process::ExitCode;

use baton_app::Failure;
use clap::Subcommand;

use crate::{context::Context, ui::Ui};

/// Say which tasks are to be done, in which order, and why
#[derive(Debug, Subcommand)]
pub(super) enum PlanCommand {
    Create(create::CreateArgs),
    List(list::ListArgs),
}

impl PlanCommand {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Create(_) => "plan create",
            Self::List(_) => "plan list",
        }
    }

    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        match self {
            Self::Create(args) => args.run(context, ui),
            Self::List(args) => args.run(context, ui),
        }
    }
}
