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
    standing,
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
    #[arg(long = "scope", value_name = "PATH", allow_hyphen_values = true)]
    scopes: Vec<String>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl StartArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.room.find_again(context, self.key.earlier(context)?.as_ref())?;
        let scopes = standing::from_root(context, &room_id, self.scopes)?;
        let started =
            context.run::<Start>(StartInput { room_id, task: self.task, scopes, idempotency_key: self.key.key })?;
        let you = context.caller.actor().agent_id;
        Ok(ui.answer(&started, || render::task_changed(&started.task, &you)))
    }
}
