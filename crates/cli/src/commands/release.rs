//! `baton release`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::{
        room::GetRoomStateResult,
        stick::{Release, ReleaseInput, ReleaseStickResult},
    },
};
use baton_core::handoff::Handoff;

use crate::{context::Context, handoff::HandoffArgs, render, select::HolderArgs, ui::Ui};

/// Hand the stick to the next member in sequence, with a handoff
///
/// The handoff comes from flags, a file, standard input or $EDITOR. Without any of them, at a terminal, the
/// editor opens.
#[derive(Debug, clap::Args)]
pub(super) struct ReleaseArgs {
    #[command(flatten)]
    handoff: HandoffArgs,
    #[command(flatten)]
    holder: HolderArgs,
}

impl ReleaseArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let held = self.holder.find(context)?;
        let handoff = self.handoff.gather(context, &held.state, held.earlier.as_ref())?;
        let released = context.run::<Release>(ReleaseInput {
            handoff: handoff.clone(),
            room_id: held.state.room.room_id.clone(),
            lease_id: held.lease_id,
            expected_turn_id: held.turn_id,
            idempotency_key: self.holder.key.key,
        })?;
        Ok(ui.answer(&released, || text(&released, &handoff, &held.state)))
    }
}

/// Where the stick went.
pub(super) fn text(released: &ReleaseStickResult, handoff: &Handoff, before: &GetRoomStateResult) -> String {
    let places: Vec<String> = handoff.artifacts.iter().map(render::artifact_place).collect();
    let pointing =
        if places.is_empty() { String::new() } else { format!("Your handoff points to {}.\n", places.join(", ")) };
    let kept = match &released.reserved_for {
        Some(recipient) => {
            format!("The stick is kept for {} (event {}).\n", render::name_in(before, recipient), released.event_seq)
        }
        None => format!(
            "Nobody else is here: the stick is free, and your handoff waits for whoever takes it up (event {}).\n",
            released.event_seq
        ),
    };
    let warnings: String =
        released.warnings.iter().map(|warning| format!("warning: {}\n", render::line(warning))).collect();
    kept + &pointing + &warnings
}
