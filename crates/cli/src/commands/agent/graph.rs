//! `baton agent graph`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::agent::{Graph, GraphInput},
};

use crate::{context::Context, render, select::RoomArgs, ui::Ui};

/// Show the room as a graph: agents, edges, what is on its way, who waits for whom and why
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct GraphArgs {
    /// Show at most so many agents [default: as much as fits a page]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    #[command(flatten)]
    room: RoomArgs,
}

impl GraphArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let graph = context.run::<Graph>(GraphInput { room_id: self.room.find(context)?, limit: self.limit })?;
        let now = context.app.now()?;
        Ok(ui.answer(&graph, || render::graph(&graph, now)))
    }
}
