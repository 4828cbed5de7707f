//! `baton job complete`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::jobs::{Complete, CompleteInput},
};
use baton_core::{code::ErrorCode, job::Outcome, limits};
use serde_json::Value;

use super::{
    spec::notes,
    worker::{ClaimShown, Said, said},
};
use crate::{
    context::Context,
    parse, render,
    select::{KeyArgs, RoomArgs},
    text::Text,
    ui::Ui,
};

/// What came of a job.
const SUMMARY: Text = Text::of("summary", limits::JOB_SUMMARY_BYTES, ErrorCode::InvalidInput);

/// End the job that you claimed
///
/// Point to the evidence with --ref: a job that is done without any proves nothing.
#[derive(Debug, clap::Args)]
#[command(override_usage = "baton job complete [OPTIONS] [JOB] <SUMMARY>")]
pub(in crate::commands) struct CompleteArgs {
    /// Which job, and what changed, what was tested, where the evidence is; `-` is standard input
    #[arg(value_name = "[JOB] SUMMARY", num_args = 1..=2, required = true)]
    said: Vec<String>,
    /// It could not be done
    #[arg(long)]
    failed: bool,
    /// Where the results are: CARD-1, TASK-001, notes@9, 'CMD: …', 'LINK: …'
    #[arg(long = "ref", value_name = "REF")]
    refs: Vec<String>,
    /// A note beside the job; the value may be JSON
    #[arg(long = "meta", value_name = "KEY=VALUE", value_parser = parse::note)]
    meta: Vec<(String, Value)>,
    #[command(flatten)]
    claim: ClaimShown,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl CompleteArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let Said { job, words } = said(self.said, false)?;
        let completed = context.run::<Complete>(CompleteInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            job,
            claim_revision: self.claim.revision(),
            runner_id: self.claim.runner,
            status: if self.failed { Outcome::Failed } else { Outcome::Done },
            summary: SUMMARY.given(words)?,
            refs: self.refs,
            meta: notes(self.meta)?,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&completed, || render::job_changed(&completed)))
    }
}
