//! `baton heartbeat`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::stick::{Heartbeat, HeartbeatInput},
};

use crate::{
    context::Context,
    select::{RoomArgs, TurnArgs},
    ui::Ui,
};

/// Extend your lease while you hold the stick
#[derive(Debug, clap::Args)]
pub(super) struct HeartbeatArgs {
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    turn: TurnArgs,
}

impl HeartbeatArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let state = self.room.state(context)?;
        let (expected_turn_id, lease_id) = self.turn.fence(&state)?;
        let room_id = state.room.room_id;
        let beat =
            context.run::<Heartbeat>(HeartbeatInput { room_id, lease_id, expected_turn_id, idempotency_key: None })?;
        Ok(ui.answer(&beat, || {
            let until = beat.lease_expires_at.map_or_else(String::new, |until| format!(" until {until}"));
            format!("Turn {} is yours{until}.\n", beat.turn_id)
        }))
    }
}
