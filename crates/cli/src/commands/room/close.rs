//! `baton room close`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::room::{Close, CloseInput},
};

use crate::{
    context::Context,
    select::{KeyArgs, RoomArgs, TurnArgs},
    ui::Ui,
};

/// End a room for good; its log stays readable
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct CloseArgs {
    /// Why
    #[arg(long, short, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    turn: TurnArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl CloseArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let earlier = self.key.earlier(context)?;
        let state = self.room.state_again(context, earlier.as_ref())?;
        let closed = context.run::<Close>(CloseInput {
            expected_turn_id: self.turn.turn_of(&state, earlier.as_ref()),
            lease_id: self.turn.lease_of(&state, earlier.as_ref()),
            room_id: state.room.room_id,
            reason: self.reason,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&closed, || format!("{} is closed. Joining its path again opens a fresh room.\n", closed.room_id)))
    }
}
