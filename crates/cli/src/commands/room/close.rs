//! `baton room close`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::room::{Close, CloseInput},
};
use baton_core::lease::Fence;

use crate::{
    context::Context,
    select::{RoomArgs, TurnArgs},
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
}

impl CloseArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let state = self.room.state(context)?;
        let closed = context.run::<Close>(CloseInput {
            expected_turn_id: self.turn.turn.map_or(state.room.turn_id, Fence),
            lease_id: self.turn.lease.or_else(|| state.room.lease_id.clone()),
            room_id: state.room.room_id,
            reason: self.reason,
            idempotency_key: None,
        })?;
        Ok(ui.answer(&closed, || format!("{} is closed. Joining its path again opens a fresh room.\n", closed.room_id)))
    }
}
