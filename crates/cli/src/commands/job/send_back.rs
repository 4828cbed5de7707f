//! `baton job send-back`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::jobs::{SendBack, SendBackInput},
};
use baton_core::job::JobId;

use crate::{
    context::Context,
    parse, render,
    select::{KeyArgs, RoomArgs},
    ui::Ui,
};

/// Send a job back with a review, which gives it another slice
///
/// A job that is over goes on from its own result: its patch is in its new worktree, and its program goes on with the conversation if
/// it can. A job that runs gets another slice after this one.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct SendBackArgs {
    /// JOB-001, or just 1
    #[arg(value_name = "JOB", value_parser = parse::job)]
    job: JobId,
    /// What is to be done differently; more than 400 characters belong into a card
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    text: String,
    /// What it points to: CARD-1, TASK-001, notes@9, 'CMD: …', 'LINK: …'
    #[arg(long = "ref", value_name = "REF")]
    refs: Vec<String>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl SendBackArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let sent = context.run::<SendBack>(SendBackInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            job: self.job,
            message: self.text,
            refs: self.refs,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&sent, || render::job_changed(&sent)))
    }
}
