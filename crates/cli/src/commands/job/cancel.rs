//! `baton job cancel`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::jobs::{Cancel, CancelInput},
};
use baton_core::job::JobId;

use crate::{
    context::Context,
    parse, render,
    select::{KeyArgs, RoomArgs},
    ui::Ui,
};

/// Withdraw a job; whoever works on it is stopped
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct CancelArgs {
    /// JOB-001, or just 1
    #[arg(value_name = "JOB", value_parser = parse::job)]
    job: JobId,
    /// Why it is not wanted any more
    #[arg(long, short, value_name = "TEXT", allow_hyphen_values = true)]
    reason: String,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl CancelArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let changed = context.run::<Cancel>(CancelInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            job: self.job,
            reason: self.reason,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&changed, || render::job_changed(&changed)))
    }
}
