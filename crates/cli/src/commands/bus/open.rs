//! `baton bus open`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::bus::{Open, OpenInput},
};

use crate::{context::Context, render, select::KeyArgs, ui::Ui};

/// Open a session that belongs to no path
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct OpenArgs {
    /// What to call it
    #[arg(value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    key: KeyArgs,
}

impl OpenArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let opened = context.run::<Open>(OpenInput { name: self.name, idempotency_key: self.key.key })?;
        let session = &opened.session;
        Ok(ui.answer(&opened, || {
            format!("Opened {}.\nnext: baton bus join --session {}\n", render::session_name(session), session.id)
        }))
    }
}
