//! `baton pass`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::stick::{Pass, PassInput},
};

use crate::{context::Context, handoff::HandoffArgs, select::HolderArgs, ui::Ui};

/// Hand the stick to one chosen member, with a handoff
#[derive(Debug, clap::Args)]
pub(super) struct PassArgs {
    /// The member's id or name
    #[arg(value_name = "AGENT")]
    to: String,
    #[command(flatten)]
    handoff: HandoffArgs,
    #[command(flatten)]
    holder: HolderArgs,
}

impl PassArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let held = self.holder.find(context)?;
        let handoff = self.handoff.gather(context, &held.state, held.earlier.as_ref())?;
        let passed = context.run::<Pass>(PassInput {
            to_agent_id: self.to,
            handoff: handoff.clone(),
            room_id: held.state.room.room_id.clone(),
            lease_id: held.lease_id,
            expected_turn_id: held.turn_id,
            idempotency_key: self.holder.key.key,
        })?;
        Ok(ui.answer(&passed, || super::release::text(&passed, &handoff, &held.state)))
    }
}
