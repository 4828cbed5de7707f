//! `baton approval modify`

use std::process::ExitCode;

use baton_app::Failure;
use baton_core::spawn::{Changes, Decision};

use super::decide::{DecideArgs, DigestArgs, Verdict};
use crate::{commands::spawn::NodeArgs, context::Context, ui::Ui};

/// Approve a request for an agent with changes
///
/// For people at a terminal. It shows what was asked for. The agent never may do more than the one that asked for it, whatever is changed.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ModifyArgs {
    #[command(flatten)]
    which: DecideArgs,
    #[command(flatten)]
    shown: DigestArgs,
    /// What is to be done, in a line
    #[arg(long, value_name = "TITLE")]
    title: Option<String>,
    /// What is to be done, in full
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    prompt: Option<String>,
    /// What it is handed first
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    message: Option<String>,
    #[command(flatten)]
    node: NodeArgs,
}

impl ModifyArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let changes = Changes {
            title: self.title,
            prompt: self.prompt,
            role: self.node.role,
            kind: self.node.kind,
            priority: self.node.priority,
            executor: self.node.executor,
            executor_profile: self.node.profile,
            executor_model: self.node.model,
            isolation: self.node.isolation,
            spawn_nodes: self.node.spawn_nodes,
            read_only: self.node.read_only,
            message: self.message,
        };
        self.which.decide(
            context,
            ui,
            Verdict { decision: Decision::Modify, changes: Some(changes), shown: Some(self.shown) },
        )
    }
}
