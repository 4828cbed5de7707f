//! `baton task show`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::tasks::{Show, ShowInput},
};
use baton_core::task::TaskId;

use crate::{
    context::Context,
    render,
    select::{self, RoomArgs},
    ui::Ui,
};

/// Show a task: who does it, where, how far it is
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ShowArgs {
    /// TASK-001, or just 1
    #[arg(value_name = "TASK", value_parser = select::task)]
    task: TaskId,
    #[command(flatten)]
    room: RoomArgs,
}

impl ShowArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let shown = context.run::<Show>(ShowInput { room_id: self.room.find(context)?, task: self.task })?;
        let (now, you) = (context.app.now()?, context.caller.actor().agent_id);
        Ok(ui.answer(&shown, || render::task_page(&shown.task, now, &you)))
    }
}
