//! `baton brief show`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::context::{BriefShow, BriefShowInput},
};

use crate::{context::Context, render, select::RoomArgs, ui::Ui};

/// Show what the room is for
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ShowArgs {
    #[command(flatten)]
    room: RoomArgs,
}

impl ShowArgs {
    pub(super) fn run(&self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let shown = context.run::<BriefShow>(BriefShowInput { room_id: self.room.find(context)? })?;
        let now = context.app.now()?;
        Ok(ui.answer(&shown, || render::brief_page(&shown, now)))
    }
}
