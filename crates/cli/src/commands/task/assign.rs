//! `baton task assign`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::tasks::{Assign, AssignInput},
};
use baton_core::task::TaskId;

use crate::{
    context::Context,
    render,
    select::{self, KeyArgs, RoomArgs},
    ui::Ui,
};

/// Give a task to an agent, or to nobody
#[derive(Debug, clap::Args)]
#[command(override_usage = "baton task assign [OPTIONS] <TASK> <AGENT|--nobody>")]
#[command(group(clap::ArgGroup::new("whose").required(true).args(["agent", "nobody"])))]
pub(in crate::commands) struct AssignArgs {
    /// TASK-001, or just 1
    #[arg(value_name = "TASK", value_parser = select::task)]
    task: TaskId,
    /// Name or id of who does it from now on
    #[arg(value_name = "AGENT")]
    agent: Option<String>,
    /// Nobody has it any more
    #[arg(long)]
    nobody: bool,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl AssignArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let assigned = context.run::<Assign>(AssignInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            task: self.task,
            assignee: self.agent,
            idempotency_key: self.key.key,
        })?;
        let you = context.caller.actor().agent_id;
        Ok(ui.answer(&assigned, || render::task_changed(&assigned.task, &you)))
    }
}
