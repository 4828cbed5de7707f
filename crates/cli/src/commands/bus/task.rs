//! `baton bus task`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::bus::{TaskDone, TaskDoneInput, TaskInput, TaskResult, TaskUpdate},
};
use baton_core::{
    bus::{BusId, TaskStatus},
    code::ErrorCode,
};

use super::session::SessionArgs;
use crate::{context::Context, parse, select::KeyArgs, ui::Ui};

/// How far a task can be.
const STATUSES: &[TaskStatus] = &[TaskStatus::Running, TaskStatus::Blocked, TaskStatus::Ready, TaskStatus::Done];

/// Say how far a conversation's task is; done ends it, once
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct TaskArgs {
    /// The task, as the conversation has it
    #[arg(value_name = "TASK")]
    task: BusId,
    /// How far it is
    #[arg(value_name = "STATUS", value_parser = parse::one_of(STATUSES, TaskStatus::as_str))]
    status: TaskStatus,
    /// What came of it, when it is done
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    summary: Option<String>,
    /// The conversation that it belongs to
    #[arg(long, value_name = "ID")]
    context: Option<BusId>,
    #[command(flatten)]
    session: SessionArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl TaskArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.session.find_again(context, &self.key)?;
        let (task_id, context_id, idempotency_key) = (self.task, self.context, self.key.key);
        let told = match (self.status, self.summary) {
            (TaskStatus::Done, summary) => {
                context.run::<TaskDone>(TaskDoneInput { room_id, task_id, summary, context_id, idempotency_key })?
            }
            (status, None) => {
                context.run::<TaskUpdate>(TaskInput { room_id, task_id, status, context_id, idempotency_key })?
            }
            (_, Some(_)) => {
                let message = "summary goes with a task that is done.";
                return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", "summary"));
            }
        };
        Ok(ui.answer(&told, || text(&told)))
    }
}

fn text(told: &TaskResult) -> String {
    format!("{} is {}.\n", told.task_id, told.status.as_str())
}
