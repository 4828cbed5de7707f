//! `baton job overview`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::jobs::{Order, Overview, OverviewInput},
};
use baton_core::{
    ids::{AgentId, AnchorId, RoomId},
    job::{Choice, Marker, Status},
    task::TaskId,
};

use crate::{context::Context, parse, render, select, ui::Ui};

/// See how many jobs there are in all rooms, who does them, and what needs you
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct OverviewArgs {
    /// Only in this room [default: in all]
    #[arg(long, value_name = "ID")]
    room: Option<RoomId>,
    /// Only those that are so far [default: RUNNING and QUEUED, or all with --newest and --oldest]
    #[arg(long, value_name = "STATUS", value_parser = parse::one_of(Status::ALL, Status::as_str), ignore_case = true)]
    status: Option<Status>,
    /// Only those that want this
    #[arg(long, value_name = "WHAT", value_parser = parse::one_of(Marker::ALL, Marker::as_str))]
    marker: Option<Marker>,
    /// Only those for this task
    #[arg(long, value_name = "TASK", value_parser = select::task, conflicts_with = "anchor")]
    task: Option<TaskId>,
    /// Only those about this part of the map
    #[arg(long, value_name = "ANCHOR")]
    anchor: Option<AnchorId>,
    /// Only those that ask for this program, or are being done with it
    #[arg(long, value_name = "EXECUTOR", value_parser = parse::one_of(Choice::ALL, Choice::as_str))]
    executor: Option<Choice>,
    /// Only those that this runner has claimed
    #[arg(long, value_name = "RUNNER")]
    runner: Option<AgentId>,
    /// Only those that say this in number, title, summary or last word
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// The newest first, also those that are over
    #[arg(long, conflicts_with = "oldest")]
    newest: bool,
    /// The oldest first, also those that are over
    #[arg(long)]
    oldest: bool,
    /// Go on where the last page ended
    #[arg(long, value_name = "N")]
    cursor: Option<u64>,
    /// How many, 1 to 200 [default: 25]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
}

impl OverviewArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let order = match (self.newest, self.oldest) {
            (true, _) => Order::Newest,
            (false, true) => Order::Oldest,
            (false, false) => Order::Pressing,
        };
        let seen = context.run::<Overview>(OverviewInput {
            room_id: self.room,
            status: self.status,
            marker: self.marker,
            task: self.task,
            anchor: self.anchor,
            executor: self.executor,
            runner: self.runner,
            text: self.text,
            order,
            cursor: self.cursor,
            limit: self.limit,
            only_jobs: false,
        })?;
        let now = context.app.now()?;
        Ok(ui.answer(&seen, || render::jobs_overview(&seen, now)))
    }
}
