//! `baton job create`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::jobs::{Create, CreateInput},
};
use baton_core::{ids::AnchorId, task::TaskId};

use super::spec::{PromptArgs, SpecArgs};
use crate::{
    context::Context,
    render,
    select::{self, KeyArgs, RoomArgs},
    ui::Ui,
};

/// Delegate a piece of work to a runner
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct CreateArgs {
    /// What is to be done, in a line
    #[arg(value_name = "TITLE")]
    title: String,
    #[command(flatten)]
    prompt: PromptArgs,
    /// The task it is for: TASK-001, or just 1
    #[arg(long, value_name = "TASK", value_parser = select::task)]
    task: Option<TaskId>,
    /// The part of the map it is about: a:core
    #[arg(long, value_name = "ANCHOR")]
    anchor: Option<AnchorId>,
    #[command(flatten)]
    spec: SpecArgs,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl CreateArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let spec = self.spec.read()?;
        let created = context.run::<Create>(CreateInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            title: self.title,
            prompt: self.prompt.read()?,
            kind: spec.kind,
            priority: spec.priority,
            task: self.task,
            anchor: self.anchor,
            executor: spec.executor,
            executor_profile: spec.profile,
            policy: spec.policy,
            expected_artifacts: spec.expected,
            isolation: spec.isolation,
            meta: spec.meta,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&created, || render::job_changed(&created)))
    }
}
