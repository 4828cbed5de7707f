//! `baton room note`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::room::{Note, NoteInput},
};

use baton_core::reference::Reference;

use crate::{
    context::Context,
    select::{KeyArgs, RoomArgs},
    ui::Ui,
};

/// Leave a note in the room's log, without the stick
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct NoteArgs {
    /// The note
    text: String,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl NoteArgs {
    pub(in crate::commands) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.room.find_again(context, self.key.earlier(context)?.as_ref())?;
        let noted = context.run::<Note>(NoteInput { room_id, text: self.text, idempotency_key: self.key.key })?;
        Ok(ui.answer(&noted, || format!("Noted as {}.\n", Reference::Note(noted.event_seq))))
    }
}
