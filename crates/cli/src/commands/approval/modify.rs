//! `baton approval modify`

use std::process::ExitCode;

use baton_app::Failure;
use baton_core::{
    job::{Choice, Isolation, Profile},
    spawn::{Changes, Decision},
};

use super::decide::DecideArgs;
use crate::{context::Context, parse, ui::Ui};

/// Approve a request for an agent with changes
///
/// For people. The agent never may do more than the one that asked for it, whatever is changed.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ModifyArgs {
    #[command(flatten)]
    which: DecideArgs,
    /// What is to be done, in a line
    #[arg(long, value_name = "TITLE")]
    title: Option<String>,
    /// What is to be done, in full
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    prompt: Option<String>,
    /// What it is handed first
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    message: Option<String>,
    /// What it is here for
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// Sort of work, in a word
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// How urgent it is
    #[arg(long, value_name = "PRIORITY", value_parser = ["low", "normal", "high"], ignore_case = true)]
    priority: Option<String>,
    /// With which program
    #[arg(long, value_name = "EXECUTOR", value_parser = parse::one_of(Choice::ALL, Choice::as_str))]
    executor: Option<Choice>,
    /// How much effort it is worth
    #[arg(long, value_name = "PROFILE", value_parser = parse::one_of(Profile::ALL, Profile::as_str))]
    profile: Option<Profile>,
    /// Which model
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Where it works
    #[arg(long, value_name = "WHERE", value_parser = parse::one_of(Isolation::ALL, Isolation::as_str))]
    isolation: Option<Isolation>,
    /// Whether it may ask for further agents
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    spawn_nodes: Option<bool>,
    /// Whether it may only look, and change no file
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    read_only: Option<bool>,
}

impl ModifyArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let changes = Changes {
            title: self.title,
            prompt: self.prompt,
            role: self.role,
            kind: self.kind,
            priority: self.priority,
            executor: self.executor,
            executor_profile: self.profile,
            executor_model: self.model,
            isolation: self.isolation,
            spawn_nodes: self.spawn_nodes,
            read_only: self.read_only,
            message: self.message,
        };
        self.which.decide(context, ui, Decision::Modify, Some(changes))
    }
}
