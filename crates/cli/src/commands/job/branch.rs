//! `baton job branch`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::jobs::{BranchResult, MakeBranch, MakeBranchInput},
};
use baton_core::job::JobId;

use crate::{
    context::Context,
    parse,
    select::{KeyArgs, RoomArgs},
    ui::{Ui, clean},
};

/// Make a git branch of what a job changed in its worktree
///
/// One commit with the patch, on the commit that the job began at. The working tree and the index stay as they are, so it does not
/// take the stick.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct BranchArgs {
    /// JOB-001, or just 1
    #[arg(value_name = "JOB", value_parser = parse::job)]
    job: JobId,
    /// The branch's name [default: baton/JOB-001]
    #[arg(value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl BranchArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let made = context.run::<MakeBranch>(MakeBranchInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            job: self.job,
            branch: self.name,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&made, || text(&made)))
    }
}

fn text(made: &BranchResult) -> String {
    let (branch, commit) = (clean(&made.branch), &made.commit[..made.commit.len().min(12)]);
    let noted = made.reference.as_ref().map_or_else(String::new, |reference| format!(" ({reference})"));
    let first = if made.created { "has" } else { "had already" };
    format!(
        "The branch {branch} {first} {} of {}, as {commit}{noted}.\nnext: git merge {branch}\n",
        made.patch, made.job
    )
}
