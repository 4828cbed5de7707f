//! `baton agent show`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::agent::{Show, ShowInput},
};

use super::page;
use crate::{context::Context, select::RoomArgs, ui::Ui};

/// Show one agent: liveness, role, scopes, tasks in progress, what it may do
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ShowArgs {
    /// Name or id [default: you]
    #[arg(value_name = "AGENT")]
    agent: Option<String>,
    #[command(flatten)]
    room: RoomArgs,
}

impl ShowArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let shown = context.run::<Show>(ShowInput { room_id: self.room.find(context)?, agent: self.agent })?;
        let now = context.app.now()?;
        Ok(ui.answer(&shown, || page::page(&shown.agent, shown.grants, now)))
    }
}
