//! `baton job apply`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::jobs::{Apply, ApplyInput, ApplyResult},
};
use baton_core::job::JobId;

use crate::{
    context::Context,
    parse,
    select::{KeyArgs, RoomArgs},
    ui::{Ui, clean},
};

/// Apply what a job changed in its worktree to the workspace
///
/// Three-way, and all of it or nothing. It takes the stick, or scopes over every file of the patch, like any edit. The files are
/// changed and nothing is committed or staged.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ApplyArgs {
    /// JOB-001, or just 1
    #[arg(value_name = "JOB", value_parser = parse::job)]
    job: JobId,
    /// Only find out whether it would apply
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl ApplyArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let applied = context.run::<Apply>(ApplyInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            job: self.job,
            check: self.check,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&applied, || text(&applied)))
    }
}

fn text(done: &ApplyResult) -> String {
    let (job, patch, changed) = (done.job, &done.patch, done.changed);
    let plural = if changed == 1 { "file" } else { "files" };
    let noted = done.reference.as_ref().map_or_else(String::new, |reference| format!(" ({reference})"));
    let mut page = match (done.applied, changed) {
        (true, 0) => format!("The workspace has {patch} of {job} already.\n"),
        (true, _) => format!("{patch} of {job} is applied to the workspace: {changed} {plural}{noted}.\n"),
        (false, 0) => format!("{patch} of {job} would change nothing: the workspace has it already.\n"),
        (false, _) => format!("{patch} of {job} would apply: {changed} {plural}.\n"),
    };
    for file in &done.files {
        page.push_str(&format!("  {} {}\n", file.change.letter(), clean(&file.path).replace('\n', " ")));
    }
    if let Some(needs) = &done.needs {
        page.push_str(&format!("note: {}\n", clean(needs)));
    }
    if done.applied && changed > 0 {
        page.push_str("next: look at it with git diff, then commit it\n");
    }
    page
}
