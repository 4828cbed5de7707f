//! `baton take`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::stick::{Takeover, TakeoverInput},
};
use baton_core::lease::Fence;

use crate::{
    context::Context,
    render,
    select::{KeyArgs, RoomArgs},
    ui::Ui,
};

/// Take the stick over from someone who timed out or is gone
#[derive(Debug, clap::Args)]
pub(super) struct TakeArgs {
    /// Why, for the log
    #[arg(long, short, value_name = "TEXT")]
    reason: String,
    /// The turn you mean to end [default: the current one]
    #[arg(long, value_name = "N")]
    turn: Option<u64>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl TakeArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let earlier = self.key.earlier(context)?;
        let state = self.room.state_again(context, earlier.as_ref())?;
        let meant = earlier.as_ref().map_or(state.room.turn_id, |earlier| earlier.turn_id);
        let taken = context.run::<Takeover>(TakeoverInput {
            room_id: state.room.room_id.clone(),
            expected_turn_id: self.turn.map_or(meant, Fence),
            reason: self.reason,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&taken, || {
            let drift = taken.drift.as_ref().map(render::drift).unwrap_or_default();
            format!(
                "You hold the stick in place of {}: turn {}, lease {}.\n{drift}next: baton room events  (read the latest handoffs)\n",
                taken.revoked_agent_id, taken.turn_id, taken.lease_id
            )
        }))
    }
}
