//! `baton inbox sent`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::inbox::{Sent, SentInput},
};
use baton_core::ids::Seq;

use crate::{context::Context, render, select::RoomArgs, ui::Ui};

/// Show what became of what you sent, newest first
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct SentArgs {
    /// Only what somebody still has to accept
    #[arg(long)]
    waiting: bool,
    /// Only those before this message
    #[arg(long, value_name = "N")]
    before: Option<u64>,
    /// How many deliveries, 1 to 200 [default: 25]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    #[command(flatten)]
    room: RoomArgs,
}

impl SentArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let (waiting, limit) = (self.waiting, self.limit);
        let before = self.before.map(Seq);
        let sent = context.run::<Sent>(SentInput { room_id: self.room.find(context)?, waiting, before, limit })?;
        let now = context.app.now()?;
        Ok(ui.answer(&sent, || match sent.messages.is_empty() {
            true if waiting => "Nothing that you sent waits to be accepted.\n".to_owned(),
            true => "You have sent nothing here.\nnext: baton send --help\n".to_owned(),
            false => {
                let last = sent.messages.last().filter(|_| sent.has_more).map(|last| last.message);
                let more = last.map_or_else(String::new, |last| format!("more: baton inbox sent --before {last}\n"));
                sent.messages.iter().map(|message| render::sent_page(message, now)).collect::<String>() + &more
            }
        }))
    }
}
