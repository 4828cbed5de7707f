//! `baton task focus`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::library::{Focus, FocusInput, FocusResult},
};
use baton_core::{ids::AgentId, task::TaskId};

use crate::{
    context::Context,
    render,
    select::{self, KeyArgs, RoomArgs},
    ui::Ui,
};

/// Turn to a task, which is then meant where you name none; or see which it is
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct FocusArgs {
    /// TASK-001, or just 1
    #[arg(value_name = "TASK", value_parser = select::task, conflicts_with = "clear")]
    task: Option<TaskId>,
    /// Turn to none
    #[arg(long)]
    clear: bool,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl FocusArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let focus = context.run::<Focus>(FocusInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            task: self.task,
            clear: self.clear,
            idempotency_key: self.key.key,
        })?;
        let you = context.caller.actor().agent_id;
        Ok(ui.answer(&focus, || text(&focus, &you)))
    }
}

fn text(focus: &FocusResult, you: &AgentId) -> String {
    match (&focus.focus, focus.chosen) {
        (Some(task), true) => render::task_changed(task, you),
        (Some(task), false) => {
            format!("You have turned to none; this is what you are at.\n{}", render::task_changed(task, you))
        }
        (None, _) => "You have turned to no task.\nnext: baton task focus TASK\n".to_owned(),
    }
}
