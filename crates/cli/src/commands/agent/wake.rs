//! `baton agent wake`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::agent::{Wake, WakeChoice, WakeInput},
};

use super::page;
use crate::{
    context::Context,
    select::{KeyArgs, RoomArgs},
    ui::{Ui, clean},
};

/// Choose what wakes an agent while it is idle: off, messages, all, or room for the room's policy
///
/// An agent chooses for itself, a person at a terminal for anybody. The choice counts as long as the agent is a member.
#[derive(Debug, clap::Args)]
#[command(allow_missing_positional = true)]
pub(in crate::commands) struct WakeArgs {
    /// Name or id [default: you]
    #[arg(value_name = "AGENT")]
    agent: Option<String>,
    /// off, messages, all or room
    #[arg(value_name = "WORD", value_parser = choice)]
    wake: WakeChoice,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl WakeArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let chosen = context.run::<Wake>(WakeInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            agent: self.agent,
            wake: self.wake,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&chosen, || format!("{}: {}\n", clean(&chosen.agent), page::wakes(chosen.wake, chosen.chosen))))
    }
}

fn choice(word: &str) -> Result<WakeChoice, String> {
    WakeChoice::named(word).ok_or_else(|| "it is off, messages, all or room".to_owned())
}
