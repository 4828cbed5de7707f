//! `baton approval approve` and `baton approval deny`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::{
        open::{Open, OpenInput, What},
        spawn::{ApprovalResolve, ApprovalResolveInput},
    },
};
use baton_core::{
    ids::RoomId,
    spawn::{ApprovalId, ApprovalStatus, Changes, Decision, SpecDigest},
};

use crate::{
    context::Context,
    parse, render,
    select::{KeyArgs, RoomArgs},
    ui::Ui,
};

/// Approve a request for an agent as it is: it becomes a job
///
/// For people at a terminal. It shows what it approves, and approves nothing else. Whoever asked is told in its inbox.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ApproveArgs {
    #[command(flatten)]
    which: DecideArgs,
    #[command(flatten)]
    shown: DigestArgs,
}

/// The version of a request that is approved.
#[derive(Debug, clap::Args)]
pub(super) struct DigestArgs {
    /// Only if the request has this digest, which `baton approval list` and `baton open` show; needed with --json
    #[arg(long, value_name = "DIGEST")]
    digest: Option<String>,
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
        self.which.decide(context, ui, Verdict { decision: Decision::Approve, changes: None, shown: Some(self.shown) })
    }
}

impl DenyArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        self.which.decide(context, ui, Verdict { decision: Decision::Deny, changes: None, shown: None })
    }
}

/// The decision, and for all but a denial the version it is on.
pub(super) struct Verdict {
    pub(super) decision: Decision,
    pub(super) changes: Option<Changes>,
    pub(super) shown: Option<DigestArgs>,
}

impl DecideArgs {
    pub(super) fn decide(self, context: &Context, ui: Ui, verdict: Verdict) -> Result<ExitCode, Failure> {
        context.require::<ApprovalResolve>()?;
        let room_id = self.room.find_again(context, self.key.earlier(context)?.as_ref())?;
        let digest = match &verdict.shown {
            Some(shown) => self.show(context, ui, &room_id, shown)?,
            None => None,
        };
        let decided = context.run::<ApprovalResolve>(ApprovalResolveInput {
            room_id,
            approval: self.approval,
            decision: verdict.decision,
            digest,
            changes: verdict.changes,
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

    /// Shows a person the request that is about to be approved, and gives its digest. A program shows nobody anything, so
    /// it says itself which version was seen.
    fn show(
        &self,
        context: &Context,
        ui: Ui,
        room: &RoomId,
        shown: &DigestArgs,
    ) -> Result<Option<SpecDigest>, Failure> {
        let given = shown.digest.as_deref().map(SpecDigest::as_read);
        if given.is_some() || ui.is_for_programs() {
            return Ok(given);
        }
        let (id, workspace) = (self.approval.to_string(), Some(room.to_string()));
        let What::Approval(opened) = context.run::<Open>(OpenInput { id, offset: None, workspace })?.what else {
            return Ok(None);
        };
        if opened.approval.status == ApprovalStatus::Pending {
            ui.narrate(&render::approval_facts(&opened, context.app.now()?));
        }
        Ok(opened.approval.digest)
    }
}
