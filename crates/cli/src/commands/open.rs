//! `baton open`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::open::{Open, OpenInput},
};

use crate::{context::Context, render, select::RoomArgs, ui::Ui};

/// Show what a reference points to, in full
#[derive(Debug, clap::Args)]
pub(super) struct OpenArgs {
    /// JOB-001, JOB-001@17, TASK-001, CARD-1, PLAN-1, notes@9, a:core, runner:r1, artifact://diff/3 or contextpack://pack/…
    #[arg(value_name = "REF")]
    reference: String,
    /// Where to go on in a long text, in bytes; a negative number counts from its end
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    offset: Option<i64>,
    #[command(flatten)]
    room: RoomArgs,
}

impl OpenArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        open(context, ui, &self.room, self.reference, self.offset)
    }
}

/// Shows what a reference points to.
pub(super) fn open(
    context: &Context,
    ui: Ui,
    room: &RoomArgs,
    id: String,
    offset: Option<i64>,
) -> Result<ExitCode, Failure> {
    let workspace = Some(room.find(context)?.to_string());
    let opened = context.run::<Open>(OpenInput { id, offset, workspace })?;
    let (now, you) = (context.app.now()?, context.caller.actor().agent_id);
    Ok(ui.answer(&opened, || render::opened_page(&opened, now, &you)))
}
