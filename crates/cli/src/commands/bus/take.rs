//! `baton bus take`

use std::{process::ExitCode, time::Duration};

use baton_app::{
    Failure,
    commands::bus::{Take, TakeInput, TakeResult},
};
use baton_core::ids::Seq;

use super::session::{SessionArgs, is_over};
use crate::{
    context::Context,
    exit::Exit,
    patience::{in_calls, parse_seconds},
    render,
    ui::Ui,
};

/// Take what was submitted or sent to you, in order
///
/// Each is told once; --again also tells those that have not ended. Exits with 10 when there is nothing, 12 when the session is
/// over. Report on each with `baton bus result`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  baton bus take --wait                  whatever comes next
  baton bus take --again                 after a restart: what is still to be done")]
pub(in crate::commands) struct TakeArgs {
    /// Wait until there is something; costs nothing while it waits
    #[arg(long, short)]
    wait: bool,
    /// Wait for at most this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, requires = "wait")]
    timeout: Option<Duration>,
    /// Also actions that you took before and that have not ended
    #[arg(long)]
    again: bool,
    /// How many, 1 to 200 [default: 50]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    #[command(flatten)]
    session: SessionArgs,
}

impl TakeArgs {
    pub(super) fn run(&self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.session.find(context)?;
        let (mut calls_left, max_wait_ms) = in_calls(self.timeout.or((!self.wait).then_some(Duration::ZERO)));
        loop {
            let taken = context.run::<Take>(TakeInput {
                room_id: room_id.clone(),
                resume_after: self.again.then_some(Seq::default()),
                limit: self.limit,
                max_wait_ms: Some(max_wait_ms),
            })?;
            calls_left = calls_left.map(|calls| calls.saturating_sub(1));
            if !taken.deliveries.is_empty() {
                return Ok(ui.answer(&taken, || self.text(&taken)));
            }
            if is_over(context, &room_id)? {
                return Ok(ui.answer_with(Exit::Closed, &taken, || "The session is over.\n".to_owned()));
            }
            if calls_left == Some(0) {
                let again = self.session.again();
                return Ok(ui.answer_with(Exit::NotYet, &taken, || {
                    format!("Nothing for you.\nnext: baton bus take --wait{again}\n")
                }));
            }
        }
    }

    fn text(&self, taken: &TakeResult) -> String {
        let again = self.session.again();
        let more = if taken.has_more { format!("more: baton bus take{again}\n") } else { String::new() };
        taken.deliveries.iter().map(|delivery| render::delivery_page(delivery, &again)).collect::<String>() + &more
    }
}
