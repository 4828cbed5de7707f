//! `baton bus close`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::bus::{Close, CloseInput},
};

use super::session::SessionArgs;
use crate::{context::Context, render, select::KeyArgs, ui::Ui};

/// End a session; its log stays readable, and what was asked of anybody ends in an error
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct CloseArgs {
    /// Why
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    reason: Option<String>,
    #[command(flatten)]
    session: SessionArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl CloseArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let closed = context.run::<Close>(CloseInput {
            room_id: self.session.find_again(context, &self.key)?,
            reason: self.reason,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&closed, || format!("Closed {}.\n", render::session_name(&closed.session))))
    }
}
