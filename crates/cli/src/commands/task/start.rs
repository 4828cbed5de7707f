//! `baton task start`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::tasks::{Start, StartInput},
};
use baton_core::task::TaskId;

use crate::{
    context::Context,
    render,
    select::{self, KeyArgs, RoomArgs},
    ui::Ui,
};

/// Begin a task; one that nobody has becomes yours
///
/// What you send and reserve from now on is about it, unless you say otherwise.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct StartArgs {
    /// TASK-001, or just 1
    #[arg(value_name = "TASK", value_parser = select::task)]
    task: TaskId,
    /// A path it is about, if that is known only now
    #[arg(long = "scope", value_name = "PATH")]
    scopes: Vec<String>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl StartArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let started = context.run::<Start>(StartInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            task: self.task,
            scopes: self.scopes,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&started, || {
            let task = &started.task;
            format!("{}\nnext: work on it, then baton task done {}\n", render::task_sentence(task), task.task)
        }))
    }
}
