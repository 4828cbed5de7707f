//! `baton pass`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::stick::{Pass, PassInput},
};

use crate::{
    context::Context,
    handoff::HandoffArgs,
    select::{self, KeyArgs, RoomArgs, TurnArgs},
    ui::Ui,
};

/// Hand the stick to one chosen member, with a handoff
#[derive(Debug, clap::Args)]
pub(super) struct PassArgs {
    /// The member's id or name
    #[arg(value_name = "AGENT")]
    to: String,
    #[command(flatten)]
    handoff: HandoffArgs,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    turn: TurnArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl PassArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let earlier = self.key.earlier(context)?;
        let state = self.room.state_again(context, earlier.as_ref())?;
        let (expected_turn_id, lease_id) = self.turn.fence(&state, earlier.as_ref())?;
        let passed = context.run::<Pass>(PassInput {
            room_id: state.room.room_id.clone(),
            lease_id,
            expected_turn_id,
            to_agent_id: select::member(&state, &self.to)?,
            handoff: self.handoff.gather(context, &state, earlier.as_ref())?,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&passed, || super::release::text(&passed)))
    }
}
