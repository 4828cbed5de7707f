//! `baton bus rename`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::bus::{Rename, RenameInput},
};

use super::session::SessionArgs;
use crate::{context::Context, render, select::KeyArgs, ui::Ui};

/// Give a session another name
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct RenameArgs {
    /// The new name
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    session: SessionArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl RenameArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let renamed = context.run::<Rename>(RenameInput {
            room_id: self.session.find_again(context, &self.key)?,
            name: self.name,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&renamed, || format!("It is {} now.\n", render::session_name(&renamed.session))))
    }
}
