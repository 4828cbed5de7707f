//! `baton store`: what a store is, bringing it up to date, and moving it. Care for people who run Baton, like `baton
//! doctor`; agents have no tool for it.

mod copy;
mod info;
mod meter;
mod migrate;
pub(super) mod page;

use std::process::ExitCode;

use baton_app::Failure;
use clap::Subcommand;

use crate::ui::Ui;

/// Look at the store, bring it up to date, or copy it into another one
#[derive(Debug, Subcommand)]
pub(super) enum StoreCommand {
    Info(info::InfoArgs),
    Migrate(migrate::MigrateArgs),
    Copy(copy::CopyArgs),
}

impl StoreCommand {
    /// The name in the JSON envelope.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Info(_) => "store info",
            Self::Migrate(_) => "store migrate",
            Self::Copy(_) => "store copy",
        }
    }

    /// Whether its own arguments say which stores it is about.
    pub(super) fn names_its_own(&self) -> bool {
        matches!(self, Self::Copy(_))
    }

    pub(super) fn run(self, store: Option<&str>, ui: Ui) -> Result<ExitCode, Failure> {
        match self {
            Self::Info(args) => args.run(store, ui),
            Self::Migrate(args) => args.run(store, ui),
            Self::Copy(args) => args.run(ui),
        }
    }
}
