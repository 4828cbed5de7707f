//! `baton job merge`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::library::{MergeReport, MergeReportInput},
};
use baton_core::{job::JobId, task::TaskId};

use crate::{
    context::Context,
    parse,
    select::{self, KeyArgs, RoomArgs},
    ui::{Ui, clean},
};

/// Bring what several jobs did together in one report, and keep it as a pinned card
///
/// What changed, what was verified, where it is kept, and what is still open. The same jobs give the same report.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct MergeArgs {
    /// JOB-001, or just 1, up to 32
    #[arg(value_name = "JOB", required = true, value_parser = parse::job)]
    jobs: Vec<JobId>,
    /// The task it belongs to [default: the one you have turned to]
    #[arg(long, value_name = "TASK", value_parser = select::task)]
    task: Option<TaskId>,
    /// What the report is called
    #[arg(long, value_name = "TITLE", allow_hyphen_values = true)]
    title: Option<String>,
    /// Do not keep it in view
    #[arg(long)]
    no_pin: bool,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl MergeArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let merged = context.run::<MergeReport>(MergeReportInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            jobs: self.jobs,
            task: self.task,
            title: self.title,
            pin: self.no_pin.then_some(false),
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&merged, || format!("{}\n\nKept as {}.\n", clean(&merged.text).trim_end(), merged.reference)))
    }
}
