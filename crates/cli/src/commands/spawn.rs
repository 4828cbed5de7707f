//! `baton spawn`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::{
        envelope::AttachmentInput,
        spawn::{Request, SpawnInput, SpawnResult},
    },
};
use baton_core::{
    ids::AnchorId,
    job::{Choice, Isolation, Profile},
    task::TaskId,
};

use super::{
    handoff::{attachment, structured},
    job::PromptArgs,
};
use crate::{
    context::Context,
    parse,
    select::{self, KeyArgs, RoomArgs},
    ui::Ui,
};

/// Ask for another agent: a job with its first handoff from you, and an edge between you
///
/// You need the capability (`baton agent grant`), and mostly an operator approves first, as the room's policy has it
/// (`baton room policy --spawn ask|auto|off`). The agent never may do more than you.
#[derive(Debug, clap::Args)]
pub(super) struct SpawnArgs {
    /// What it is to do, in a line
    #[arg(value_name = "TITLE")]
    title: String,
    #[command(flatten)]
    prompt: PromptArgs,
    /// What it is handed first, in a few words
    #[arg(long, short, value_name = "TEXT", allow_hyphen_values = true)]
    message: String,
    #[command(flatten)]
    node: NodeArgs,
    /// The task it is for: TASK-001, or just 1
    #[arg(long, value_name = "TASK", value_parser = select::task)]
    task: Option<TaskId>,
    /// The part of the map it is about: a:core
    #[arg(long, value_name = "ANCHOR")]
    anchor: Option<AnchorId>,
    /// Structured output that comes with the message: a JSON object, or @FILE
    #[arg(long, value_name = "JSON")]
    structured: Option<String>,
    /// What the message points to: diff=artifact://diff/3, task=TASK-001
    #[arg(long = "artifact", value_name = "TYPE=REF", value_parser = attachment)]
    artifacts: Vec<(String, String)>,
    /// A stored context pack: contextpack://pack/…
    #[arg(long, value_name = "REF")]
    context: Option<String>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

/// What an agent is, and what it may do.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct NodeArgs {
    /// What it is here for
    #[arg(long, value_name = "ROLE")]
    pub(in crate::commands) role: Option<String>,
    /// Sort of work, in a word
    #[arg(long, value_name = "KIND")]
    pub(in crate::commands) kind: Option<String>,
    /// How urgent it is
    #[arg(long, value_name = "PRIORITY", value_parser = ["low", "normal", "high"], ignore_case = true)]
    pub(in crate::commands) priority: Option<String>,
    /// With which program
    #[arg(long, value_name = "EXECUTOR", value_parser = parse::one_of(Choice::ALL, Choice::as_str))]
    pub(in crate::commands) executor: Option<Choice>,
    /// How much effort it is worth
    #[arg(long, value_name = "PROFILE", value_parser = parse::one_of(Profile::ALL, Profile::as_str))]
    pub(in crate::commands) profile: Option<Profile>,
    /// Which model, for a program that has several
    #[arg(long, value_name = "MODEL")]
    pub(in crate::commands) model: Option<String>,
    /// Where it works: here, or in a git worktree of its own whose diff comes back
    #[arg(long, value_name = "WHERE", value_parser = parse::one_of(Isolation::ALL, Isolation::as_str))]
    pub(in crate::commands) isolation: Option<Isolation>,
    /// Whether it may ask for further agents
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    pub(in crate::commands) spawn_nodes: Option<bool>,
    /// Whether it may only look, and change no file
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    pub(in crate::commands) read_only: Option<bool>,
}

impl SpawnArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let attached = |(kind, reference)| AttachmentInput { kind, reference };
        let asked = context.run::<Request>(SpawnInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            title: self.title,
            prompt: self.prompt.read()?,
            message: self.message,
            structured: self.structured.map(structured).transpose()?,
            artifacts: self.artifacts.into_iter().map(attached).collect(),
            context_ref: self.context,
            role: self.node.role,
            kind: self.node.kind,
            executor: self.node.executor,
            executor_profile: self.node.profile,
            executor_model: self.node.model,
            isolation: self.node.isolation,
            priority: self.node.priority,
            task: self.task,
            anchor: self.anchor,
            spawn_nodes: self.node.spawn_nodes,
            read_only: self.node.read_only,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&asked, || text(&asked)))
    }
}

fn text(asked: &SpawnResult) -> String {
    let approval = asked.approval;
    match asked.job {
        Some(job) => format!("{approval} was approved by the room's policy: {job}\nnext: baton job open {job}\n"),
        None => format!(
            "{approval} waits for an operator. The decision comes into your inbox.\n\
             next: baton approval approve {approval}  (an operator)\n"
        ),
    }
}
