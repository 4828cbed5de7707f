//! `baton ticket`

use std::process::ExitCode;

use baton_app::{
    Failure,
    clock::{Clock, SystemClock},
    environment::Environment,
};
use baton_core::code::ErrorCode;
use baton_http::{Admitted, Facts, TICKET_TTL, Tickets};
use serde_json::json;

use super::up::login;
use crate::{context, operator::require_operator, ui::Ui};

/// Print an address that logs a browser in, once
///
/// For people at a terminal. The server must be running. The address counts for two minutes and for whoever opens it first.
#[derive(Debug, clap::Args)]
pub(super) struct TicketArgs {
    /// As whom it logs in: owner does everything, viewer looks and changes nothing
    #[arg(long, value_enum, value_name = "ROLE", default_value = "owner")]
    role: RoleArg,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum RoleArg {
    Owner,
    Viewer,
}

impl From<RoleArg> for Admitted {
    fn from(role: RoleArg) -> Self {
        match role {
            RoleArg::Owner => Self::Owner,
            RoleArg::Viewer => Self::Viewer,
        }
    }
}

impl TicketArgs {
    pub(super) fn run(&self, store: Option<&str>, ui: Ui) -> Result<ExitCode, Failure> {
        let environment = Environment::read();
        require_operator(&environment, "ticket")?;
        let data = context::data_directory(&environment, store)?;
        let facts = Facts::find(&data)?.ok_or_else(|| {
            Failure::new(ErrorCode::PreconditionFailed, "No server runs on this store.").advising("Start one: baton up")
        })?;
        let admitted = Admitted::from(self.role);
        let ticket = Tickets::in_directory(&data).issue_for(admitted, SystemClock.now())?;
        let login = login(&facts, ticket.reveal());
        let data = json!({ "login": login, "role": admitted.as_str(), "expires_in_ms": TICKET_TTL.as_millis() });
        Ok(ui.answer(&data, || format!("{login}\n")))
    }
}
