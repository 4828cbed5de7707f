//! `baton card create`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::library::{CardCreate, CardCreateInput},
};
use baton_core::{ids::AnchorId, job::JobId, library::CardKind, task::TaskId};

use crate::{
    context::Context,
    parse, render,
    select::{self, KeyArgs, RoomArgs},
    text::BodyArgs,
    ui::Ui,
};

/// Keep a finding
///
/// What a job's own agent keeps belongs to its job, and to what the job is for.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct CreateArgs {
    /// What was found, in a line
    #[arg(value_name = "TITLE")]
    title: String,
    #[command(flatten)]
    body: BodyArgs,
    /// What sort of finding [default: note]
    #[arg(long, short, value_name = "KIND", value_parser = parse::one_of(CardKind::ALL, CardKind::as_str))]
    kind: Option<CardKind>,
    /// A word to find it by, once for each
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Keep it in view
    #[arg(long)]
    pin: bool,
    /// The task it belongs to [default: that of your job]
    #[arg(long, value_name = "TASK", value_parser = select::task)]
    task: Option<TaskId>,
    /// The part of the map it is about [default: that of your job]
    #[arg(long, value_name = "ANCHOR")]
    anchor: Option<AnchorId>,
    /// The job it came from [default: that of BATON_JOB]
    #[arg(long, value_name = "JOB", value_parser = parse::job)]
    job: Option<JobId>,
    /// What it points to: CARD-1, JOB-001@17, notes@9, 'CMD: …', 'LINK: …'
    #[arg(long = "ref", value_name = "REF")]
    refs: Vec<String>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl CreateArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let kept = context.run::<CardCreate>(CardCreateInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            title: self.title,
            text: self.body.read()?,
            kind: self.kind,
            tags: self.tags,
            pinned: self.pin,
            task: self.task,
            anchor: self.anchor,
            job: self.job,
            refs: self.refs,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&kept, || format!("Kept as {}", render::card_lines(std::slice::from_ref(&kept.card)))))
    }
}
