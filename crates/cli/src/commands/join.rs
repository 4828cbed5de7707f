//! `baton join`

use std::{path::PathBuf, process::ExitCode};

use baton_app::{
    Failure,
    commands::room::{Join, JoinInput},
};
use baton_core::ids::AgentId;

use crate::{
    context::Context,
    select::{KeyArgs, utf8},
    ui::Ui,
};

/// Join the room of this workspace, opening it if there is none
#[derive(Debug, clap::Args)]
pub(super) struct JoinArgs {
    /// A path in the workspace [default: the current directory]
    #[arg(long, value_name = "PATH")]
    path: Option<PathBuf>,
    /// Open a nested room at exactly this path even though an ancestor has one
    #[arg(long)]
    force_new: bool,
    /// Tests and debugging: join under this id (flagged in the log); BATON_AGENT_ID keeps it for later commands
    #[arg(long, value_name = "ID")]
    agent_id_override: Option<AgentId>,
    #[command(flatten)]
    key: KeyArgs,
}

impl JoinArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let joined = context.run::<Join>(JoinInput {
            context_path: utf8(self.path.as_deref().unwrap_or(std::path::Path::new(".")))?,
            force_new: self.force_new,
            agent_id_override: self.agent_id_override,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&joined, || {
            let path = joined.canonical_path.as_deref().unwrap_or("(no path)");
            let verb = if joined.created { "Opened" } else { "Joined" };
            let warning = joined.warning.as_ref().map_or_else(String::new, |warning| format!("warning: {warning}\n"));
            let beside = joined.parallel_to.as_ref().map_or_else(String::new, |first| {
                format!("Another process of this conversation is {first}; you are an agent of your own.\n")
            });
            format!(
                "{verb} {} at {path} as {} ({}).\n{beside}{warning}next: baton wait\n",
                joined.room_id, joined.agent_id, joined.display_name
            )
        }))
    }
}
