//! `baton heartbeat`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::stick::{Heartbeat, HeartbeatInput},
};

use crate::{context::Context, select::HolderArgs, ui::Ui};

/// Extend your lease while you hold the stick
#[derive(Debug, clap::Args)]
pub(super) struct HeartbeatArgs {
    #[command(flatten)]
    holder: HolderArgs,
}

impl HeartbeatArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let held = self.holder.find(context)?;
        let beat = context.run::<Heartbeat>(HeartbeatInput {
            room_id: held.state.room.room_id,
            lease_id: held.lease_id,
            expected_turn_id: held.turn_id,
            idempotency_key: self.holder.key.key,
        })?;
        Ok(ui.answer(&beat, || format!("Turn {} is yours until {}.\n", beat.turn_id, beat.lease_expires_at)))
    }
}
