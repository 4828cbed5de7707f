//! `baton job log`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::jobs::{Log, LogInput, LogResult},
};
use baton_core::job::JobId;

use crate::{
    context::Context,
    parse,
    select::RoomArgs,
    ui::{Ui, clean},
};

/// Show the end of what a job's program prints: live while it runs, else of its last slice
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct LogArgs {
    /// JOB-001, or just 1
    #[arg(value_name = "JOB", value_parser = parse::job)]
    job: JobId,
    #[command(flatten)]
    room: RoomArgs,
}

impl LogArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let seen = context.run::<Log>(LogInput { room_id: self.room.find(context)?, job: self.job })?;
        Ok(ui.answer(&seen, || text(&seen)))
    }
}

fn text(seen: &LogResult) -> String {
    let whole = seen.reference.as_ref().map_or_else(String::new, |kept| format!("all of it: baton open {kept}\n"));
    match (&seen.text, &seen.unavailable) {
        (Some(text), _) => format!("{}\n{whole}", clean(text.trim_end())),
        (None, Some(why)) => format!("{why}\n"),
        (None, None) => String::new(),
    }
}
