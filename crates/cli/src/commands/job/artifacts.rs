//! `baton job artifacts`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::library::{ArtifactList, ArtifactListInput},
};
use baton_core::job::JobId;

use crate::{commands::artifact, context::Context, parse, select::RoomArgs, ui::Ui};

/// List the files that a job left behind, newest first: prompts, logs, transcripts, diffs
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ArtifactsArgs {
    /// JOB-001, or just 1
    #[arg(value_name = "JOB", value_parser = parse::job)]
    job: JobId,
    /// Only those before this number
    #[arg(long, value_name = "N")]
    before: Option<u32>,
    /// How many, 1 to 200 [default: 25]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    #[command(flatten)]
    room: RoomArgs,
}

impl ArtifactsArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let (job, before, limit) = (self.job, self.before, self.limit);
        let room_id = self.room.find(context)?;
        let all = ArtifactListInput { room_id, job: Some(job), node: None, turn: None, kind: None, before, limit };
        let listed = context.run::<ArtifactList>(all)?;
        Ok(ui.answer(&listed, || match listed.artifacts.as_slice() {
            [] => format!("{job} left no files behind.\n"),
            _ => artifact::list_text(&listed, &format!(" --job {job}")),
        }))
    }
}
