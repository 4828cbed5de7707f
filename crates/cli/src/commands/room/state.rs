//! `baton room state`

use std::process::ExitCode;

use baton_app::Failure;

use crate::{context::Context, render, select::RoomArgs, ui::Ui};

/// Show a room: owner, members, expiries, the handoff
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct StateArgs {
    #[command(flatten)]
    room: RoomArgs,
}

impl StateArgs {
    pub(super) fn run(&self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let state = self.room.state(context)?;
        let you = context.caller.actor().agent_id;
        let now = context.app.now()?;
        Ok(ui.answer(&state, || render::room_page(&state, now, &you)))
    }
}
