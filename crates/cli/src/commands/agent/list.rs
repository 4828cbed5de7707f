//! `baton agent list`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::agent::{List, ListInput},
};

use super::page;
use crate::{context::Context, select::RoomArgs, ui::Ui};

/// List the agents of the room: liveness, roles, scopes, tasks in progress
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ListArgs {
    /// Also those who left, and names that were given up
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    room: RoomArgs,
}

impl ListArgs {
    pub(super) fn run(&self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let listed = context.run::<List>(ListInput { room_id: self.room.find(context)?, all: self.all })?;
        let now = context.app.now()?;
        Ok(ui.answer(&listed, || match listed.agents.is_empty() {
            true => "Nobody is here.\nnext: baton agent init\n".to_owned(),
            false => {
                let more = if listed.has_more { "There are more: baton agent show NAME.\n" } else { "" };
                page::lines(&listed.agents, now) + more
            }
        }))
    }
}
