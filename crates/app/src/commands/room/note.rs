//! A remark that changes no ownership.

use baton_core::ids::{RoomId, Seq};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    app::Request,
    table::{Effect, Place, Tier, UseCase},
};

/// `room.note`
pub struct Note;

/// What to note.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoteInput {
    pub room_id: RoomId,
    /// At most 16 KiB
    pub text: String,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// Where the note is.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct AppendNoteResult {
    pub room_id: RoomId,
    pub event_seq: Seq,
}

impl UseCase for Note {
    const NAME: &'static str = "room.note";
    const PLACE: Place = Place::Tool("append_note", Tier::Full);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str =
        "Leave a note in the room's log without holding the stick. It wakes nobody and changes no ownership.";
    type Input = NoteInput;
    type Output = AppendNoteResult;

    fn perform(app: &App, caller: &Caller, input: NoteInput) -> Result<AppendNoteResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            change.decide(|room, call| room.note(call, &input.text, caller.authority_in(&input.room_id)))?;
            Ok(AppendNoteResult { room_id: change.room.id.clone(), event_seq: change.room.last_seq })
        })
    }
}
