//! `baton room note`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::room::{Note, NoteInput},
};

use crate::{context::Context, select::RoomArgs, ui::Ui};

/// Leave a note in the room's log, without the stick
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct NoteArgs {
    /// The note
    text: String,
    #[command(flatten)]
    room: RoomArgs,
    /// Repeat a call safely: the same key gets the first answer
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
}

impl NoteArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.room.find(context)?;
        let noted =
            context.run::<Note>(NoteInput { room_id, text: self.text, idempotency_key: self.idempotency_key })?;
        Ok(ui.answer(&noted, || format!("Noted as event {}.\n", noted.event_seq)))
    }
}
