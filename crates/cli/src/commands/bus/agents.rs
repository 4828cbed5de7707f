//! `baton bus agents`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::agent::{List, ListInput},
};

use super::session::SessionArgs;
use crate::{commands::agent::agent_lines, context::Context, ui::Ui};

/// List the agents of a session, whom actions and messages can be for
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct AgentsArgs {
    /// Also those who left, and names that were given up
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    session: SessionArgs,
}

impl AgentsArgs {
    pub(super) fn run(&self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let listed = context.run::<List>(ListInput { room_id: self.session.find(context)?, all: self.all })?;
        let now = context.app.now()?;
        Ok(ui.answer(&listed, || match listed.agents.is_empty() {
            true => format!("Nobody is here.\nnext: baton bus join{}\n", self.session.again()),
            false => agent_lines(&listed.agents, now),
        }))
    }
}
