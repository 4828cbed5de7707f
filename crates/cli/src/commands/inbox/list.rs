//! `baton inbox list`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::inbox::{List, ListInput, ListResult},
};
use baton_core::{ids::Seq, inbox::Stage, time::Timestamp};

use crate::{commands::surface::in_words, context::Context, render, select::RoomArgs, ui::Ui};

/// List your messages, oldest first; their senders learn that you were told
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ListArgs {
    /// Which: pending (not seen, or to be accepted), all, queued, delivered, seen or accepted [default: pending]
    #[arg(long, value_name = "STATE")]
    state: Option<String>,
    /// Only those after this message
    #[arg(long, value_name = "N")]
    after: Option<u64>,
    /// How many, 1 to 200 [default: 25]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    #[command(flatten)]
    room: RoomArgs,
}

impl ListArgs {
    /// Whether nothing was asked for in particular.
    pub(super) fn is_bare(&self) -> bool {
        let Self { state, after, limit, room } = self;
        state.is_none() && after.is_none() && limit.is_none() && room.is_bare()
    }

    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let mut listed = context.run::<List>(ListInput {
            room_id: self.room.find(context)?,
            state: self.state.clone(),
            after: self.after.map(Seq),
            limit: self.limit,
        })?;
        listed.next = listed.next.as_deref().map(in_words);
        let now = context.app.now()?;
        Ok(ui.answer(&listed, || self.text(&listed, now)))
    }

    fn text(&self, listed: &ListResult, now: Timestamp) -> String {
        let owed = render::owed_lines(&listed.owed, now);
        let Some(last) = listed.items.last() else {
            return owed
                + match self.state.as_deref() {
                    None | Some("pending") => "Nothing waits for you. All there was: baton inbox --state all\n",
                    Some(_) => "No messages.\n",
                };
        };
        let mut text = render::item_lines(&listed.items, now) + &owed;
        if listed.has_more {
            let state = self.state.as_ref().map_or_else(String::new, |state| format!(" --state {state}"));
            text.push_str(&format!("more: baton inbox{state} --after {}\n", last.message));
        }
        let to_read = listed.items.iter().find(|item| item.state < Stage::Seen);
        let to_accept = listed.items.iter().find(|item| item.requires_ack && item.state < Stage::Accepted);
        match (to_read, to_accept) {
            (Some(item), _) => text.push_str(&format!("next: baton inbox read {}\n", item.message)),
            (None, Some(item)) => {
                let status =
                    if item.category.takes_result() { " --status completed  (or rejected, error)" } else { "" };
                text.push_str(&format!("next: baton ack {}{status}\n", item.message));
            }
            (None, None) => {}
        }
        text
    }
}
