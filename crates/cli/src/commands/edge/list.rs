//! `baton edge list`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::envelope::{EdgeList, EdgeListInput},
};

use crate::{context::Context, render, select::RoomArgs, ui::Ui};

/// List between whom envelopes may go
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ListArgs {
    /// Only those of this agent or job
    #[arg(value_name = "AGENT")]
    agent: Option<String>,
    #[command(flatten)]
    room: RoomArgs,
}

impl ListArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let listed = context.run::<EdgeList>(EdgeListInput { room_id: self.room.find(context)?, agent: self.agent })?;
        Ok(ui.answer(&listed, || render::edges_page(&listed)))
    }
}
