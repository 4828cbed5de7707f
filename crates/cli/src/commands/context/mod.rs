//! `baton context …`

mod append;
mod build;
mod diff;
mod list;
mod merge;

use std::process::ExitCode;

use baton_app::Failure;
use clap::Subcommand;

use crate::{context::Context, ui::Ui};

/// Build, join and compare the packs in which agents get to know what they need
#[derive(Debug, Subcommand)]
pub(super) enum ContextCommand {
    Build(build::BuildArgs),
    Merge(merge::MergeArgs),
    Append(append::AppendArgs),
    Diff(diff::DiffArgs),
    List(list::ListArgs),
}

impl ContextCommand {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Build(_) => "context build",
            Self::Merge(_) => "context merge",
            Self::Append(_) => "context append",
            Self::Diff(_) => "context diff",
            Self::List(_) => "context list",
        }
    }

    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        match self {
            Self::Build(args) => args.run(context, ui),
            Self::Merge(args) => args.run(context, ui),
            Self::Append(args) => args.run(context, ui),
            Self::Diff(args) => args.run(context, ui),
            Self::List(args) => args.run(context, ui),
        }
    }
}
