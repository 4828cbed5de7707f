//! `baton release`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::stick::{Release, ReleaseInput, ReleaseStickResult},
};

use crate::{
    context::Context,
    handoff::HandoffArgs,
    select::{KeyArgs, RoomArgs, TurnArgs},
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
    #[command(flatten)]
    key: KeyArgs,
}

impl ReleaseArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let earlier = self.key.earlier(context)?;
        let state = self.room.state_again(context, earlier.as_ref())?;
        let (expected_turn_id, lease_id) = self.turn.fence(&state, earlier.as_ref())?;
        let released = context.run::<Release>(ReleaseInput {
            room_id: state.room.room_id.clone(),
            lease_id,
            expected_turn_id,
            handoff: self.handoff.gather(context, &state, earlier.as_ref())?,
            idempotency_key: self.key.key,
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
