//! `baton leave`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::room::{Leave, LeaveInput},
};

use crate::{
    context::Context,
    select::{KeyArgs, RoomArgs},
    ui::Ui,
};

/// Leave the room; whoever holds the stick must hand it on first
#[derive(Debug, clap::Args)]
pub(super) struct LeaveArgs {
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl LeaveArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.room.find_again(context, self.key.earlier(context)?.as_ref())?;
        let left = context.run::<Leave>(LeaveInput { room_id, idempotency_key: self.key.key })?;
        Ok(ui.answer(&left, || format!("You left {}. Still there: {}.\n", left.room_id, left.members.len())))
    }
}
