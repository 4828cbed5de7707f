//! `baton job diff`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::jobs::{Diff, DiffInput, DiffResult},
};
use baton_core::job::JobId;

use crate::{
    context::Context,
    parse,
    select::RoomArgs,
    ui::{Ui, clean},
};

/// Show what a job changed
///
/// The patch is printed as it was kept, so that it can be piped: baton job diff JOB-001 | git apply
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct DiffArgs {
    /// JOB-001, or just 1
    #[arg(value_name = "JOB", value_parser = parse::job)]
    job: JobId,
    /// The diff of this slice [default: the newest]
    #[arg(long, value_name = "N")]
    slice: Option<u32>,
    /// Only the files, with how many lines of each changed
    #[arg(long)]
    stat: bool,
    /// With --json: where in the text to go on
    #[arg(long, value_name = "BYTES", conflicts_with = "stat")]
    offset: Option<u64>,
    #[command(flatten)]
    room: RoomArgs,
}

impl DiffArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let (job, slice) = (self.job, self.slice);
        let room_id = self.room.find(context)?;
        if self.offset.is_some() && !ui.is_for_programs() {
            let message = "--offset goes with --json: without it, all of the patch is printed.";
            return Err(Failure::new(baton_core::code::ErrorCode::InvalidArgs, message).with("field", "offset"));
        }
        let stat = self.stat || !ui.is_for_programs();
        let input = DiffInput { room_id: room_id.clone(), job, slice, stat, offset: self.offset };
        let seen = context.run::<Diff>(input)?;
        if self.stat || ui.is_for_programs() {
            return Ok(ui.answer(&seen, || list(&seen)));
        }
        let patch = context.app.job_patch(&room_id, job, slice)?;
        if patch.is_empty() {
            ui.warn(&format!("{job} changed nothing"));
        } else if let Some(why) = &seen.why_not {
            ui.warn(&clean(why));
        }
        Ok(ui.bytes(&patch))
    }
}

/// The files of a patch, in columns, and what they come to.
fn list(seen: &DiffResult) -> String {
    let mut page = String::new();
    for file in &seen.files {
        let lines = if file.binary { "binary".to_owned() } else { format!("+{} -{}", file.additions, file.deletions) };
        page.push_str(&format!("{} {lines:<12} {}\n", file.change.letter(), clean(&file.path).replace('\n', " ")));
    }
    page.extend(seen.more.iter().map(|more| format!("{more}\n")));
    let slice = seen.slice.map_or_else(String::new, |slice| format!(" of slice {slice}"));
    let base =
        seen.base.as_deref().map_or_else(String::new, |base| format!(", against {}", &base[..base.len().min(12)]));
    let (reference, additions, deletions) = (&seen.reference, seen.additions, seen.deletions);
    page.push_str(&format!("{} {}{slice}{base}: +{additions} -{deletions}\n", seen.job, reference));
    match &seen.why_not {
        Some(why) => page.push_str(&format!("note: {}\n", clean(why))),
        None => page.push_str(&format!(
            "next: baton job apply {0}, baton job branch {0}, or baton job send-back {0} \"…\"\n",
            seen.job
        )),
    }
    page
}
