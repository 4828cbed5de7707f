//! `baton card pin`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::library::{CardPin, CardPinInput},
};
use baton_core::library::CardId;

use crate::{
    context::Context,
    parse, render,
    select::{KeyArgs, RoomArgs},
    ui::Ui,
};

/// Keep a card in view, or take it out of view
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct PinArgs {
    /// CARD-1, or just 1
    #[arg(value_name = "CARD", value_parser = parse::card)]
    card: CardId,
    /// Take it out of view
    #[arg(long)]
    off: bool,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl PinArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let pinned = context.run::<CardPin>(CardPinInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            card: self.card,
            pinned: Some(!self.off),
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&pinned, || render::card_lines(std::slice::from_ref(&pinned.card))))
    }
}
