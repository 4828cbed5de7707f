//! `baton job list`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::jobs::{List, ListInput, ListResult},
};
use baton_core::{ids::AnchorId, job::Status, task::TaskId};

use crate::{
    context::Context,
    parse, render,
    select::{self, RoomArgs},
    ui::Ui,
};

/// List jobs, newest first
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ListArgs {
    /// Only those that are so far
    #[arg(long, value_name = "STATUS", value_parser = parse::one_of(Status::ALL, Status::as_str), ignore_case = true)]
    status: Option<Status>,
    /// Only those for this task
    #[arg(long, value_name = "TASK", value_parser = select::task, conflicts_with = "anchor")]
    task: Option<TaskId>,
    /// Only those about this part of the map
    #[arg(long, value_name = "ANCHOR")]
    anchor: Option<AnchorId>,
    /// Go on where the last page ended
    #[arg(long, value_name = "N")]
    cursor: Option<u64>,
    /// How many, 1 to 200 [default: 25]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    #[command(flatten)]
    room: RoomArgs,
}

impl ListArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let listed = context.run::<List>(ListInput {
            room_id: self.room.find(context)?,
            status: self.status,
            task: self.task,
            anchor: self.anchor.clone(),
            cursor: self.cursor,
            limit: self.limit,
        })?;
        Ok(ui.answer(&listed, || self.text(&listed)))
    }

    fn text(&self, listed: &ListResult) -> String {
        let filter = self.filter();
        if listed.jobs.is_empty() {
            return match filter.is_empty() && self.cursor.is_none() {
                true => "No jobs.\nnext: baton job create TITLE --prompt …\n".to_owned(),
                false => "No job is like that.\nnext: baton job list\n".to_owned(),
            };
        }
        let more = listed.cursor.map_or_else(String::new, |at| format!("more: baton job list{filter} --cursor {at}\n"));
        render::job_lines(&listed.jobs) + &more
    }

    /// What was asked for, to be asked again.
    fn filter(&self) -> String {
        let status = self.status.map(|status| format!(" --status {status}"));
        let task = self.task.map(|task| format!(" --task {task}"));
        let anchor = self.anchor.as_ref().map(|anchor| format!(" --anchor {anchor}"));
        [status, task, anchor].into_iter().flatten().collect()
    }
}
