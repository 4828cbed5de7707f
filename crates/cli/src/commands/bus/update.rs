//! `baton bus update`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::bus::{Update, UpdateInput},
};

use super::session::SessionArgs;
use crate::{context::Context, select::KeyArgs, ui::Ui, wording::who};

/// Take another name in a session; every stream tells it
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct UpdateArgs {
    /// The new name
    #[arg(long, value_name = "NAME")]
    name: String,
    #[command(flatten)]
    session: SessionArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl UpdateArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let updated = context.run::<Update>(UpdateInput {
            room_id: self.session.find_again(context, &self.key)?,
            id: context.caller.actor().agent_id.to_string(),
            name: self.name,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&updated, || format!("You are {} now.\n", who(&updated.agent.name, &updated.agent.id))))
    }
}
