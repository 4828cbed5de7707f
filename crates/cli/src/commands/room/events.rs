//! `baton room events`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::room::{Events, EventsInput},
};
use baton_core::ids::Seq;

use crate::{context::Context, render, select::RoomArgs, ui::Ui};

/// Read a room's log, newest first, with all handoffs
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct EventsArgs {
    #[command(flatten)]
    room: RoomArgs,
    /// Only events after this one, oldest first
    #[arg(long, value_name = "SEQ", conflicts_with = "before")]
    after: Option<u64>,
    /// Only events before this one
    #[arg(long, value_name = "SEQ")]
    before: Option<u64>,
    /// How many, 1 to 200 [default: 20]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    /// Only releases and passes of the stick, with their handoffs
    #[arg(long)]
    handoffs: bool,
    /// Only events of this type, such as takeover or scope.reserve; may be repeated
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<String>,
}

impl EventsArgs {
    pub(super) fn run(&self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let page = context.run::<Events>(EventsInput {
            room_id: self.room.find(context)?,
            after: self.after.map(Seq),
            before: self.before.map(Seq),
            limit: self.limit,
            handoffs: self.handoffs,
            types: self.types.clone(),
        })?;
        Ok(ui.answer(&page, || {
            let mut text: String = page.events.iter().map(|event| render::event_line(event, &page.agents)).collect();
            if let Some(cursor) = page.cursor {
                let flag = if self.after.is_some() { "after" } else { "before" };
                let only: String = self.only().iter().map(|word| format!(" {word}")).collect();
                text.push_str(&format!("more: baton room events --room {}{only} --{flag} {cursor}\n", page.room_id));
            }
            text
        }))
    }

    /// The arguments that say which events.
    fn only(&self) -> Vec<String> {
        let handoffs = self.handoffs.then(|| "--handoffs".to_owned());
        handoffs.into_iter().chain(self.types.iter().map(|kind| format!("--type {kind}"))).collect()
    }
}
