//! `baton scope …`

mod check;
mod page;
mod release;
mod reserve;
mod status;

use std::process::ExitCode;

use baton_app::Failure;
use clap::Subcommand;

use crate::{context::Context, ui::Ui};

/// Reserve paths so that nobody else edits them, and see who has what
#[derive(Debug, Subcommand)]
pub(super) enum ScopeCommand {
    Reserve(reserve::ReserveArgs),
    Release(release::ReleaseArgs),
    Status(status::StatusArgs),
    Check(check::CheckArgs),
}

impl ScopeCommand {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Reserve(_) => "scope reserve",
            Self::Release(_) => "scope release",
            Self::Status(_) => "scope status",
            Self::Check(_) => "scope check",
        }
    }

    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        match self {
            Self::Reserve(args) => args.run(context, ui),
            Self::Release(args) => args.run(context, ui),
            Self::Status(args) => args.run(context, ui),
            Self::Check(args) => args.run(context, ui),
        }
    }
}
