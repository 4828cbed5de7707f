//! `baton context diff`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::context::{Diff, DiffInput},
};

use crate::{context::Context, render, select::RoomArgs, ui::Ui};

/// Show what two context packs differ in
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct DiffArgs {
    /// contextpack://pack/…
    #[arg(value_name = "FIRST")]
    first: String,
    /// contextpack://pack/…
    #[arg(value_name = "SECOND")]
    second: String,
    #[command(flatten)]
    room: RoomArgs,
}

impl DiffArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.room.find(context)?;
        let found = context.run::<Diff>(DiffInput { room_id, first: self.first, second: self.second })?;
        Ok(ui.answer(&found, || render::difference_lines(&found.differences)))
    }
}
