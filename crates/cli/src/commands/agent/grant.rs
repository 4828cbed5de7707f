//! `baton agent grant`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::spawn::{Grant, GrantInput},
};

use super::page;
use crate::{
    context::Context,
    select::{KeyArgs, RoomArgs},
    ui::{Ui, clean},
};

/// Say what an agent may do: ask for further agents, or have them only look
///
/// For people. What is left out stays as it is. A job's agent has what its job was created with.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct GrantArgs {
    /// Name or id
    #[arg(value_name = "AGENT")]
    agent: String,
    /// Whether it may ask for further agents
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    spawn: Option<bool>,
    /// Whether agents and jobs that it asks for may only look
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    read_only: Option<bool>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl GrantArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let granted = context.run::<Grant>(GrantInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            agent: self.agent,
            spawn_nodes: self.spawn,
            read_only: self.read_only,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&granted, || format!("{} {}\n", clean(&granted.agent), page::may(granted.grants))))
    }
}
