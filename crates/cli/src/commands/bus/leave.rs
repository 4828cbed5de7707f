//! `baton bus leave`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::bus::{Remove, RemoveInput},
};

use super::session::SessionArgs;
use crate::{context::Context, select::KeyArgs, ui::Ui};

/// Leave a session; what you were asked ends in an error
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct LeaveArgs {
    /// Take out another agent, by name or id; only a person may [default: you]
    #[arg(long, value_name = "AGENT")]
    id: Option<String>,
    #[command(flatten)]
    session: SessionArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl LeaveArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let left = context.run::<Remove>(RemoveInput {
            room_id: self.session.find_again(context, &self.key)?,
            id: self.id,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&left, || match left.agents.len() {
            0 => format!("{} left {}. Nobody is there any more.\n", left.removed, left.room_id),
            1 => format!("{} left {}. One agent is still there.\n", left.removed, left.room_id),
            some => format!("{} left {}. {some} agents are still there.\n", left.removed, left.room_id),
        }))
    }
}
