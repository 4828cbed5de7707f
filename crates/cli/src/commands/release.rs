//! `baton release`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::stick::{Release, ReleaseInput, ReleaseStickResult},
};

use crate::{
    context::Context,
    handoff::HandoffArgs,
    select::{RoomArgs, TurnArgs},
    ui::Ui,
};

/// Hand the stick to the next member in sequence, with a handoff
///
/// The handoff comes from flags, a file, standard input or $EDITOR. Without any of them, at a terminal, the
/// editor opens.
#[derive(Debug, clap::Args)]
pub(super) struct ReleaseArgs {
    #[command(flatten)]
    handoff: HandoffArgs,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    turn: TurnArgs,
    /// Repeat a call safely: the same key gets the first answer
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
}

impl ReleaseArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let state = self.room.state(context)?;
        let (expected_turn_id, lease_id) = self.turn.fence(&state)?;
        let released = context.run::<Release>(ReleaseInput {
            room_id: state.room.room_id.clone(),
            lease_id,
            expected_turn_id,
            handoff: self.handoff.gather(context, &state)?,
            idempotency_key: self.idempotency_key,
        })?;
        Ok(ui.answer(&released, || text(&released)))
    }
}

/// Where the stick went.
pub(super) fn text(released: &ReleaseStickResult) -> String {
    match &released.reserved_for {
        Some(recipient) => format!("The stick is kept for {recipient} (event {}).\n", released.event_seq),
        None => format!(
            "Nobody else is here: the stick is free, and your handoff waits for whoever takes it up (event {}).\n",
            released.event_seq
        ),
    }
}
