//! `baton card show`

use std::process::ExitCode;

use baton_app::Failure;
use baton_core::library::CardId;

use crate::{commands::open, context::Context, parse, select::RoomArgs, ui::Ui};

/// Show a card with its text: `baton open` of it
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ShowArgs {
    /// CARD-1, or just 1
    #[arg(value_name = "CARD", value_parser = parse::card)]
    card: CardId,
    #[command(flatten)]
    room: RoomArgs,
}

impl ShowArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        open::open(context, ui, &self.room, self.card.to_string(), None)
    }
}
