//! `baton card …`

mod create;
mod list;
mod pin;
mod show;

use std::process::ExitCode;

use baton_app::Failure;
use clap::Subcommand;

use crate::{context::Context, ui::Ui};

/// Keep findings so that they can be pointed to: evidence, decisions, tests, reports
#[derive(Debug, Subcommand)]
pub(super) enum CardCommand {
    Create(create::CreateArgs),
    List(list::ListArgs),
    Show(show::ShowArgs),
    Pin(pin::PinArgs),
}

impl CardCommand {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Create(_) => "card create",
            Self::List(_) => "card list",
            Self::Show(_) => "card show",
            Self::Pin(_) => "card pin",
        }
    }

    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        match self {
            Self::Create(args) => args.run(context, ui),
            Self::List(args) => args.run(context, ui),
            Self::Show(args) => args.run(context, ui),
            Self::Pin(args) => args.run(context, ui),
        }
    }
}
