//! `baton bus agents`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::agent::{AgentView, List, ListInput},
};
use baton_core::time::Timestamp;

use super::session::SessionArgs;
use crate::{
    context::Context,
    ui::Ui,
    wording::{seen, table, who},
};

/// List the agents of a session, whom actions and messages can be for
///
/// Each is connected (its actions are pushed to it, or it is in a turn), idle (it is there and waits), disconnected or gone.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct AgentsArgs {
    #[command(flatten)]
    session: SessionArgs,
}

impl AgentsArgs {
    pub(super) fn run(&self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let listed = context.run::<List>(ListInput { room_id: self.session.find(context)?, all: false })?;
        let now = context.app.now()?;
        Ok(ui.answer(&listed, || match listed.agents.is_empty() {
            true => format!("Nobody is here.\nnext: baton bus join{}\n", self.session.again()),
            false => {
                let more = if listed.has_more { "There are more: baton agent show NAME.\n" } else { "" };
                table(&listed.agents.iter().map(|agent| row(agent, now)).collect::<Vec<_>>()) + more
            }
        }))
    }
}

fn row(agent: &AgentView, now: Timestamp) -> [String; 4] {
    let role = agent.role.as_ref().map_or_else(String::new, |role| format!("role:{role}"));
    let you = if agent.you { "  (you)" } else { "" };
    let status = agent.status.to_string();
    [who(&agent.name, &agent.agent_id), status, role, seen(agent.last_seen_at, now) + you]
}
