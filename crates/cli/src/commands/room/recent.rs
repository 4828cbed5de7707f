//! `baton room recent`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::room::{Recent, RecentInput},
};
use baton_core::ids::RoomId;

use crate::{context::Context, render, ui::Ui};

/// Show what happened last in all rooms, newest first
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct RecentArgs {
    /// Only in this room
    #[arg(long, value_name = "ID")]
    room: Option<RoomId>,
    /// How many, 1 to 200 [default: 20]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
}

impl RecentArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let found = context.run::<Recent>(RecentInput { room_id: self.room, limit: self.limit })?;
        let now = context.app.now()?;
        Ok(ui.answer(&found, || render::recent_page(&found, now)))
    }
}
