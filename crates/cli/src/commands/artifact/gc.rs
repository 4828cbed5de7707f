//! `baton artifact gc`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::library::{ArtifactGc, ArtifactGcInput, ArtifactGcResult, GivenUp},
};

use crate::{
    context::Context,
    ui::{Ui, clean},
};

/// Remove files that nothing names, never what a ref reaches
///
/// In all rooms of the store, from this machine: files that no record names and half-written ones, once they are an hour
/// old. With --older-than-days also files that are on record, if no event, card, envelope, handoff, context pack or turn
/// points to them and their job and their turn are over. For people.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct GcArgs {
    /// Also give up files older than this that no ref reaches
    #[arg(long, value_name = "DAYS")]
    older_than_days: Option<u32>,
    /// Tell what would go, and leave it
    #[arg(long)]
    dry_run: bool,
}

impl GcArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let (older_than_days, dry_run) = (self.older_than_days, self.dry_run);
        let done = context.run::<ArtifactGc>(ArtifactGcInput { older_than_days, dry_run })?;
        Ok(ui.answer(&done, || text(&done)))
    }
}

fn text(done: &ArtifactGcResult) -> String {
    let would = if done.dry_run { "Would remove" } else { "Removed" };
    let mut page = format!("{would} {} files and {} drafts, {} bytes\n", done.files, done.drafts, done.bytes);
    if done.dropped > 0 {
        let would = if done.dry_run { "Would give up" } else { "Gave up" };
        page.push_str(&format!("{would} {}, which nothing points to:\n", done.dropped));
    }
    let line = |file: &GivenUp| format!("  {} {} in {}\n", file.reference, clean(&file.name), file.room_id);
    page.extend(done.artifacts.iter().map(line));
    let named = done.artifacts.len() as u64;
    if named < done.dropped {
        page.push_str(&format!("  and {} more\n", done.dropped - named));
    }
    if let Some(busy) = done.busy {
        page.push_str(&format!("{busy} directories were in use and are left for the next time.\n"));
    }
    page
}
