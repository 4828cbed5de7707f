//! `baton approval …`

mod decide;
mod list;
mod modify;

use std::process::ExitCode;

use baton_app::Failure;
use clap::Subcommand;

use crate::{context::Context, ui::Ui};

/// Decide on requests for further agents
#[derive(Debug, Subcommand)]
pub(super) enum ApprovalCommand {
    List(list::ListArgs),
    Approve(decide::ApproveArgs),
    Deny(decide::DenyArgs),
    Modify(modify::ModifyArgs),
}

impl ApprovalCommand {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::List(_) => "approval list",
            Self::Approve(_) => "approval approve",
            Self::Deny(_) => "approval deny",
            Self::Modify(_) => "approval modify",
        }
    }

    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        match self {
            Self::List(args) => args.run(context, ui),
            Self::Approve(args) => args.run(context, ui),
            Self::Deny(args) => args.run(context, ui),
            Self::Modify(args) => args.run(context, ui),
        }
    }
}
