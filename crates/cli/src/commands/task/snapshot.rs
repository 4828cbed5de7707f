//! `baton task snapshot`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::{
        jobs::Format,
        library::{Snapshot, SnapshotInput, SnapshotResult},
    },
};
use baton_core::task::TaskId;

use crate::{
    context::Context,
    select::{self, RoomArgs},
    ui::{Ui, clean},
};

/// See a task at a glance: when it is done, how to verify it, what is pinned to it, and its most pressing job
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct SnapshotArgs {
    /// TASK-001, or just 1 [default: the one you have turned to, else the one you are at]
    #[arg(value_name = "TASK", value_parser = select::task)]
    task: Option<TaskId>,
    #[command(flatten)]
    room: RoomArgs,
}

impl SnapshotArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.room.find(context)?;
        let fmt = if ui.is_for_programs() { Format::Json } else { Format::Lines };
        let snapshot = context.run::<Snapshot>(SnapshotInput { room_id, task: self.task, fmt })?;
        Ok(ui.answer(&snapshot, || match &snapshot {
            SnapshotResult::Lines { lines } => format!("{}\n", clean(lines).trim_end()),
            SnapshotResult::Fields(_) => String::new(),
        }))
    }
}
