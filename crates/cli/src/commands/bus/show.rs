//! `baton bus show`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::bus::{Get, GetInput},
};

use super::session::SessionArgs;
use crate::{context::Context, render, ui::Ui};

/// Show one session: its name, whether it is open, and its newest event
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ShowArgs {
    #[command(flatten)]
    session: SessionArgs,
}

impl ShowArgs {
    pub(super) fn run(&self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let found = context.run::<Get>(GetInput { room_id: self.session.find(context)? })?;
        Ok(ui.answer(&found, || render::session_lines(std::slice::from_ref(&found.session))))
    }
}
