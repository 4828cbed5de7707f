//! `baton task done`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::tasks::{Done, DoneInput},
};
use baton_core::task::TaskId;

use crate::{
    context::Context,
    render,
    select::{self, KeyArgs, RoomArgs},
    ui::Ui,
};

/// Say that a task is done
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct DoneArgs {
    /// TASK-001, or just 1
    #[arg(value_name = "TASK", value_parser = select::task)]
    task: TaskId,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl DoneArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let done = context.run::<Done>(DoneInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            task: self.task,
            idempotency_key: self.key.key,
        })?;
        let you = context.caller.actor().agent_id;
        Ok(ui.answer(&done, || render::task_changed(&done.task, &you)))
    }
}
