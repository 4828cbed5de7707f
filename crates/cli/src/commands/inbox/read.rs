//! `baton inbox read`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::inbox::{MessageRef, Read, ReadInput},
};

use crate::{commands::surface::in_words, context::Context, render, select::RoomArgs, ui::Ui};

/// Read one of your messages; its sender learns that you have seen it
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ReadArgs {
    /// The message's number
    #[arg(value_name = "MESSAGE")]
    message: MessageRef,
    #[command(flatten)]
    room: RoomArgs,
}

impl ReadArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let mut read = context.run::<Read>(ReadInput { room_id: self.room.find(context)?, message: self.message })?;
        read.next = read.next.as_deref().map(in_words);
        let now = context.app.now()?;
        Ok(ui.answer(&read, || render::message_page(&read, now)))
    }
}
