//! `baton artifact …`

mod gc;
mod keep;
mod list;

use std::process::ExitCode;

use baton_app::Failure;
use clap::Subcommand;

use crate::{context::Context, ui::Ui};

pub(super) use list::text as list_text;

/// Files that work leaves behind: keep one, list them, give up what nothing leads to
#[derive(Debug, Subcommand)]
pub(super) enum ArtifactCommand {
    Keep(keep::KeepArgs),
    List(list::ListArgs),
    Gc(gc::GcArgs),
}

impl ArtifactCommand {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Keep(_) => "artifact keep",
            Self::List(_) => "artifact list",
            Self::Gc(_) => "artifact gc",
        }
    }

    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        match self {
            Self::Keep(args) => args.run(context, ui),
            Self::List(args) => args.run(context, ui),
            Self::Gc(args) => args.run(context, ui),
        }
    }
}
