//! `baton heartbeat`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::stick::{Heartbeat, HeartbeatInput},
};

use crate::{
    context::Context,
    select::{KeyArgs, RoomArgs, TurnArgs},
    ui::Ui,
};

/// Extend your lease while you hold the stick
#[derive(Debug, clap::Args)]
pub(super) struct HeartbeatArgs {
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    turn: TurnArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl HeartbeatArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let earlier = self.key.earlier(context)?;
        let state = self.room.state_again(context, earlier.as_ref())?;
        let (expected_turn_id, lease_id) = self.turn.fence(&state, earlier.as_ref())?;
        let beat = context.run::<Heartbeat>(HeartbeatInput {
            room_id: state.room.room_id,
            lease_id,
            expected_turn_id,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&beat, || format!("Turn {} is yours until {}.\n", beat.turn_id, beat.lease_expires_at)))
    }
}
