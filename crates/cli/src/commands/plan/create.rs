//! `baton plan create`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::library::{PlanCreate, PlanCreateInput},
};
use baton_core::task::TaskId;

use crate::{
    context::Context,
    render,
    select::{self, KeyArgs, RoomArgs},
    text::BodyArgs,
    ui::Ui,
};

/// Make a plan
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct CreateArgs {
    /// What is planned, in a line
    #[arg(value_name = "TITLE")]
    title: String,
    #[command(flatten)]
    body: BodyArgs,
    /// A task, once for each, in the order in which they are to be done
    #[arg(long = "task", value_name = "TASK", value_parser = select::task)]
    tasks: Vec<TaskId>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl CreateArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let made = context.run::<PlanCreate>(PlanCreateInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            title: self.title,
            text: self.body.read()?,
            tasks: self.tasks,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&made, || render::plan_lines(std::slice::from_ref(&made.plan))))
    }
}
