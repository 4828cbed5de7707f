//! `baton job message`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::jobs::{Message, MessageInput},
};
use baton_core::job::JobId;

use crate::{
    context::Context,
    parse, render,
    select::{KeyArgs, RoomArgs},
    ui::Ui,
};

/// Answer or steer the agent that works on a job
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct MessageArgs {
    /// JOB-001, or just 1
    #[arg(value_name = "JOB", value_parser = parse::job)]
    job: JobId,
    /// What to tell it; more than 400 characters belong into a card
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

impl MessageArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let told = context.run::<Message>(MessageInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            job: self.job,
            message: self.text,
            refs: self.refs,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&told, || render::job_changed(&told)))
    }
}
