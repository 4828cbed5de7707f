//! `baton agent heartbeat`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::agent::{Heartbeat, HeartbeatInput},
};

use crate::{context::Context, select::RoomArgs, ui::Ui, wording::who};

/// Show that you are there; what you have reserved stays yours
///
/// Safe to repeat. It renews no lease of the stick: `baton heartbeat` does.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct HeartbeatArgs {
    /// Your own name or id, if you want to be sure who you are
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    #[command(flatten)]
    room: RoomArgs,
}

impl HeartbeatArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let beat = context.run::<Heartbeat>(HeartbeatInput { room_id: self.room.find(context)?, agent: self.agent })?;
        Ok(ui.answer(&beat, || {
            let you = who(&beat.name, &beat.agent_id);
            format!("{you} is {}, last seen at {}.\n", beat.liveness.as_str(), beat.last_seen_at)
        }))
    }
}
