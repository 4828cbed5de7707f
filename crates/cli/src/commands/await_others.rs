//! `baton await`

use std::{process::ExitCode, time::Duration};

use baton_app::{
    Failure,
    commands::waiting::{WaitFor, WaitForInput},
};
use baton_core::{ids::Seq, job::JobId};

use crate::{
    commands::surface::in_words,
    context::Context,
    exit::Exit,
    patience::{in_calls, parse_seconds},
    render,
    select::RoomArgs,
    ui::Ui,
};

/// Wait until agents have answered you and jobs have ended
///
/// An agent is done once it has handed you something after your last envelope to it; a job once it has ended. Says nothing
/// until then, and exits once: 0 all are done (with --any: one), 15 somebody is gone and will not answer, 10 the timeout
/// passed. Who is pending is told with why.
#[derive(Debug, clap::Args)]
pub(super) struct AwaitArgs {
    /// Agents by name or id, and jobs like JOB-001
    #[arg(value_name = "WHO", required = true)]
    who: Vec<String>,
    /// One of them is enough
    #[arg(long)]
    any: bool,
    /// Count envelopes after this message, not after your last one
    #[arg(long, value_name = "N")]
    after: Option<u64>,
    /// Give up after this many seconds; 0 looks once [default: wait for ever]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    timeout: Option<Duration>,
    #[command(flatten)]
    room: RoomArgs,
}

impl AwaitArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.room.find(context)?;
        let (mut calls_left, max_wait_ms) = in_calls(self.timeout);
        let jobs: Vec<JobId> = self.who.iter().filter_map(|who| who.parse().ok()).collect();
        let agents: Vec<String> = self.who.into_iter().filter(|who| who.parse::<JobId>().is_err()).collect();
        loop {
            let mut found = context.run::<WaitFor>(WaitForInput {
                room_id: room_id.clone(),
                agents: agents.clone(),
                jobs: jobs.clone(),
                any: self.any,
                after: self.after.map(Seq),
                max_wait_ms: Some(max_wait_ms),
            })?;
            calls_left = calls_left.map(|calls| calls.saturating_sub(1));
            if !found.done && !found.over && calls_left != Some(0) {
                continue;
            }
            found.next = found.next.as_deref().map(in_words);
            let exit = match (found.done, found.over) {
                (true, _) => Exit::Done,
                (false, true) => Exit::NotCompleted,
                (false, false) => Exit::NotYet,
            };
            let now = context.app.now()?;
            return Ok(ui.answer_with(exit, &found, || render::awaited_page(&found, now)));
        }
    }
}
