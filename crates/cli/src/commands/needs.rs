//! `baton needs`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::agent::{Needs, NeedsInput},
};
use baton_core::ids::RoomId;

use crate::{context::Context, render, ui::Ui};

/// Show what waits for you in all rooms, oldest first, each with the next command
///
/// Questions and failures of jobs, requests for agents, messages to accept or to answer, sticks that nobody moves, and
/// collisions. Looking changes nothing.
#[derive(Debug, clap::Args)]
pub(super) struct NeedsArgs {
    /// Only in this room
    #[arg(long, value_name = "ID")]
    room: Option<RoomId>,
    /// Only what comes behind this place, which the page before named
    #[arg(long, value_name = "PLACE")]
    after: Option<String>,
    /// How many, 1 to 200 [default: 25]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
}

impl NeedsArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room = self.room.as_ref().map_or_else(String::new, |room| format!(" --room {room}"));
        let input = NeedsInput { room_id: self.room, after: self.after, limit: self.limit };
        let found = context.run::<Needs>(input)?;
        let now = context.app.now()?;
        Ok(ui.answer(&found, || {
            let more = match (&found.cursor, found.has_more) {
                (Some(next), _) => format!("more: baton needs{room} --after {next}\n"),
                (None, true) => "There is more than fits; look into a room with --room ID.\n".to_owned(),
                (None, false) => String::new(),
            };
            render::needs_page(&found.needs, now) + &more
        }))
    }
}
