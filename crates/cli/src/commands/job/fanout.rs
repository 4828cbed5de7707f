//! `baton job fanout`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::jobs::{Fanout, FanoutInput},
};
use baton_core::{ids::AnchorId, task::TaskId};

use super::spec::{PromptArgs, SpecArgs};
use crate::{
    context::Context,
    select::{self, KeyArgs, RoomArgs},
    ui::Ui,
};

/// Create one job for each part of the map from one prompt: all of them, or none
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct FanoutArgs {
    /// A part of the map, once for each: a:core, up to ten
    #[arg(long = "anchor", value_name = "ANCHOR", required = true)]
    anchors: Vec<AnchorId>,
    #[command(flatten)]
    prompt: PromptArgs,
    /// What stands before the anchor in each title
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    title_prefix: Option<String>,
    /// The task they are for [default: the one you have turned to]
    #[arg(long, value_name = "TASK", value_parser = select::task)]
    task: Option<TaskId>,
    #[command(flatten)]
    spec: SpecArgs,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl FanoutArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let spec = self.spec.read()?.all_in_meta()?;
        let fanned = context.run::<Fanout>(FanoutInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            task: self.task,
            anchors: self.anchors,
            title_prefix: self.title_prefix,
            prompt: self.prompt.read()?,
            job_kind: spec.kind,
            job_priority: spec.priority,
            executor: spec.executor,
            executor_profile: spec.profile,
            policy: spec.policy,
            meta: spec.meta,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&fanned, || {
            let jobs = fanned.jobs.iter().map(|job| format!("{}  {}  {}\n", job.job, job.anchor, job.reference));
            jobs.collect::<String>() + "next: baton radar\n"
        }))
    }
}
