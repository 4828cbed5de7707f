//! `baton approval approve` and `baton approval deny`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::spawn::{ApprovalResolve, ApprovalResolveInput},
};
use baton_core::spawn::{ApprovalId, Changes, Decision};

use crate::{
    context::Context,
    parse, render,
    select::{KeyArgs, RoomArgs},
    ui::Ui,
};

/// Approve a request for an agent as it is: it becomes a job
///
/// For people. Whoever asked is told in its inbox.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ApproveArgs {
    #[command(flatten)]
    which: DecideArgs,
}

/// Deny a request for an agent
///
/// For people. Whoever asked is told in its inbox.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct DenyArgs {
    #[command(flatten)]
    which: DecideArgs,
}

/// On which request, and why.
#[derive(Debug, clap::Args)]
pub(super) struct DecideArgs {
    /// APPROVAL-1, or just 1
    #[arg(value_name = "APPROVAL", value_parser = parse::approval)]
    approval: ApprovalId,
    /// What to say to it
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl ApproveArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        self.which.decide(context, ui, Decision::Approve, None)
    }
}

impl DenyArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        self.which.decide(context, ui, Decision::Deny, None)
    }
}

impl DecideArgs {
    pub(super) fn decide(
        self,
        context: &Context,
        ui: Ui,
        decision: Decision,
        changes: Option<Changes>,
    ) -> Result<ExitCode, Failure> {
        let decided = context.run::<ApprovalResolve>(ApprovalResolveInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            approval: self.approval,
            decision,
            changes,
            reason: self.reason,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&decided, || {
            let modified = match decided.modified.as_slice() {
                [] => String::new(),
                fields => format!("Changed: {}\n", fields.join(", ")),
            };
            let next = decided.approval.job.map_or_else(String::new, |job| format!("next: baton job open {job}\n"));
            format!("{}{modified}{next}", render::approval_lines(std::slice::from_ref(&decided.approval)))
        }))
    }
}
