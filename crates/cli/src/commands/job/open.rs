//! `baton job open`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::jobs::{Open, OpenInput},
};
use baton_core::{ids::Seq, job::JobId};

use crate::{context::Context, parse, render, select::RoomArgs, ui::Ui};

/// Show a job: how far it is, who is at it, what it wants, and what happened to it
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct OpenArgs {
    /// JOB-001, or just 1
    #[arg(value_name = "JOB", value_parser = parse::job)]
    job: JobId,
    /// How many events, 1 to 200 [default: 10]
    #[arg(long, visible_alias = "limit", value_name = "N")]
    events: Option<u32>,
    /// Only events before this one
    #[arg(long, value_name = "SEQ")]
    before: Option<u64>,
    /// Also what it asks in full
    #[arg(long)]
    prompt: bool,
    /// Leave out mere progress
    #[arg(long)]
    without_progress: bool,
    #[command(flatten)]
    room: RoomArgs,
}

impl OpenArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let opened = context.run::<Open>(OpenInput {
            room_id: self.room.find(context)?,
            job: self.job,
            before: self.before.map(Seq),
            limit: self.events,
            without_progress: self.without_progress,
            include_prompt: self.prompt,
        })?;
        let now = context.app.now()?;
        Ok(ui.answer(&opened, || render::job_page(&opened, now)))
    }
}
