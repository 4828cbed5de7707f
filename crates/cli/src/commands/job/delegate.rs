//! `baton job delegate`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::jobs::{Delegate, DelegateInput},
};
use baton_core::{ids::AnchorId, task::TaskId};

use super::spec::{PromptArgs, SpecArgs};
use crate::{
    context::Context,
    render,
    select::{self, KeyArgs, RoomArgs},
    ui::Ui,
};

/// Delegate a piece of work as a task, with a definition of done, and a job for it
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct DelegateArgs {
    /// What is to be done, in a line
    #[arg(value_name = "TITLE")]
    title: String,
    #[command(flatten)]
    prompt: PromptArgs,
    /// A task that is there already; without it one is created
    #[arg(long, value_name = "TASK", value_parser = select::task, conflicts_with_all = ["done_when", "verify"])]
    task: Option<TaskId>,
    /// When it is done [default: once the job's refs lead to what changed and to the proof of it]
    #[arg(long = "done-when", value_name = "TEXT", allow_hyphen_values = true)]
    done_when: Option<String>,
    /// How to make sure of that, once for each step
    #[arg(long = "verify", value_name = "STEP", allow_hyphen_values = true)]
    verify: Vec<String>,
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

impl DelegateArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let spec = self.spec.read()?;
        let delegated = context.run::<Delegate>(DelegateInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            title: self.title,
            prompt: self.prompt.read()?,
            task: self.task,
            definition_of_done: self.done_when,
            verification: self.verify,
            anchor: self.anchor,
            job_kind: spec.kind,
            job_priority: spec.priority,
            executor: spec.executor,
            executor_profile: spec.profile,
            policy: spec.policy,
            expected_artifacts: spec.expected,
            isolation: spec.isolation,
            meta: spec.meta,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&delegated, || render::job_delegated(&delegated)))
    }
}
