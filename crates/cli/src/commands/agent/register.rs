//! `baton agent register`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::agent::{self, Register, RegisterInput, RegisterResult},
};

use super::page::NEXT_RESERVE;
use crate::{
    context::Context,
    select::{KeyArgs, RoomArgs},
    ui::Ui,
    wording::who,
};

/// Become an agent of the room under a name of your own, or change yours
///
/// Opens the workspace's room if there is none.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct RegisterArgs {
    /// A name like amber-otter [default: one is made, or you keep yours]
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// What you are here for: messages can be sent to role:R
    #[arg(long, value_name = "R")]
    role: Option<String>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl RegisterArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        // No room is opened for what could not be registered.
        self.name.as_deref().map(agent::parse_name).transpose()?;
        self.role.as_deref().map(agent::parse_role).transpose()?;
        let registered = context.run::<Register>(RegisterInput {
            room_id: self.room.find_or_open(context, self.key.earlier(context)?.as_ref())?,
            name: self.name,
            role: self.role,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&registered, || text(&registered)))
    }
}

/// Who somebody is now.
pub(super) fn text(registered: &RegisterResult) -> String {
    let you = who(&registered.name, &registered.agent_id);
    let role = registered.role.as_ref().map_or_else(String::new, |role| format!(", role {role},"));
    let already = if registered.changed { "" } else { " already" };
    format!("You are {you}{role} in {}{already}.\nnext: {NEXT_RESERVE}\n", registered.room_id)
}
