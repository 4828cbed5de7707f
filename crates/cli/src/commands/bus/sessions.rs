//! `baton bus sessions`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::bus::{SessionStatus, Sessions, SessionsInput, SessionsResult},
};

use crate::{context::Context, render, ui::Ui};

/// List the sessions there are, the one that changed last first: every room is one
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct SessionsArgs {
    /// Only those that go on
    #[arg(long, conflicts_with = "closed")]
    open: bool,
    /// Only those that are over
    #[arg(long)]
    closed: bool,
    /// How many, 1 to 200 [default: 50]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
}

impl SessionsArgs {
    pub(super) fn run(&self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let status = match (self.open, self.closed) {
            (true, _) => Some(SessionStatus::Open),
            (false, true) => Some(SessionStatus::Closed),
            (false, false) => None,
        };
        let found = context.run::<Sessions>(SessionsInput { status, limit: self.limit })?;
        Ok(ui.answer(&found, || text(&found)))
    }
}

fn text(found: &SessionsResult) -> String {
    if found.sessions.is_empty() {
        return "No sessions.\nnext: baton bus open NAME\n".to_owned();
    }
    let more = if found.has_more { "There are more: baton bus sessions --limit 200\n" } else { "" };
    render::session_lines(&found.sessions) + more
}
