//! Deciding on a request for an agent.

use baton_core::{
    code::ErrorCode,
    envelope::Party,
    ids::RoomId,
    job::JobId,
    spawn::{Approval, ApprovalId, Changes, Decision, NodeSpec, Requested, SpecDigest},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ApprovalView,
    authority::bounds_of_agent,
    node::{self, Names, pending_spec, requested},
};
use crate::{
    App, Caller, Failure,
    app::Request,
    commands::envelope::called,
    table::{AGENT, Access, Effect, Place, UseCase},
    unit::Change,
};

/// `agent.approval.resolve`
pub struct ApprovalResolve;

/// What is decided.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovalResolveInput {
    pub room_id: RoomId,
    /// APPROVAL-1
    pub approval: ApprovalId,
    pub decision: Decision,
    /// With approve and modify: the one that `open` and `agent approval.list` show with the request
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<SpecDigest>,
    /// With modify: what is different
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Changes>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// The request as it is now.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalResolveResult {
    pub room_id: RoomId,
    #[serde(flatten)]
    pub approval: ApprovalView,
    /// What was changed of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modified: Vec<String>,
}

impl UseCase for ApprovalResolve {
    const NAME: &'static str = "agent.approval.resolve";
    const PLACE: Place = Place::Portal(&AGENT);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::operators("`baton approval list` at a terminal, or the page of `baton up`");
    const ABOUT: &'static str = "Approve, deny or modify a request for another agent (operators only).";
    type Input = ApprovalResolveInput;
    type Output = ApprovalResolveResult;

    fn perform(app: &App, caller: &Caller, input: ApprovalResolveInput) -> Result<ApprovalResolveResult, Failure> {
        let (said, names) = (input.changes()?, Names::fresh()?);
        // Whoever repeats a decision may see the request as it was made, whose digest is another one.
        let asked = ApprovalResolveInput { digest: None, ..input.clone() };
        let request = Request { command: Self::NAME, input: &asked, key: input.idempotency_key.as_deref() };
        let decided = app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            let approval = change
                .store
                .find::<Approval>(&input.approval)?
                .cloned()
                .ok_or_else(|| Failure::unknown_id(input.approval))?;
            approval.require_pending()?;
            let shown = pending_spec(change.store.tx()?, &change.room.id, &approval)?;
            if input.decision != Decision::Deny {
                approval.require_shown(&shown, input.digest.as_ref())?;
            }
            let changes = said.clone().of(&shown);
            let modified = changes.fields();
            if input.decision == Decision::Modify && modified.is_empty() {
                return Err(nothing_changed());
            }
            let event = match input.decision {
                Decision::Deny => approval.deny(input.reason.as_deref())?,
                Decision::Approve | Decision::Modify => {
                    let (job, spec) = make(change, &approval, &changes, &names)?;
                    approval.approve(job, &spec, modified.clone(), input.reason.as_deref())?
                }
            };
            let digest = event.approved_digest().cloned();
            change.record(event)?;
            let approval = change
                .store
                .find::<Approval>(&input.approval)?
                .cloned()
                .ok_or_else(|| Failure::unknown_id(input.approval))?;
            node::tell(change, &approval, &modified, &names)?;
            let view = ApprovalView::of(&change.room, &approval, digest);
            Ok(ApprovalResolveResult { room_id: change.room.id.clone(), approval: view, modified })
        })?;
        if decided.approval.job.is_some() {
            app.job_was_queued(&decided.room_id);
        }
        Ok(decided)
    }
}

/// Makes what was asked for, with the changes, as far as whoever asked may have it now, and gives what was made.
fn make(
    change: &mut Change<'_>,
    approval: &Approval,
    changes: &Changes,
    names: &Names,
) -> Result<(JobId, NodeSpec), Failure> {
    let Requested { spec, by_operator, .. } = requested(change.store.tx()?, &change.room.id, approval)?;
    let agent_id = approval.requested_by.clone();
    let parent = Party { name: called(&change.room, &agent_id), agent_id };
    let bounds = bounds_of_agent(change.store.tx()?, &change.room.id, &parent.agent_id, by_operator)?;
    bounds.require_spawning(change.room.policy.spawn, &parent.agent_id)?;
    let spec = spec.changed(changes, &bounds)?;
    node::require(change, &spec, &parent)?;
    Ok((node::make(change, approval.id, &spec, &parent, names)?, spec))
}

impl ApprovalResolveInput {
    /// What is to be different. Only modifying changes something, and it does.
    fn changes(&self) -> Result<Changes, Failure> {
        let changes = self.changes.clone().unwrap_or_default();
        let wrong = |message: &str| Failure::new(ErrorCode::InvalidInput, message).with("field", "changes");
        match self.decision {
            Decision::Modify if changes.fields().is_empty() => Err(nothing_changed()),
            Decision::Approve | Decision::Deny if self.changes.is_some() => {
                Err(wrong("changes: go with the decision modify only.").advising("Decide modify, or leave them out."))
            }
            Decision::Modify | Decision::Approve | Decision::Deny => Ok(changes),
        }
    }
}

fn nothing_changed() -> Failure {
    Failure::new(ErrorCode::InvalidInput, "changes: say what is to be different.")
        .with("field", "changes")
        .advising("Approve it to leave it as it is.")
}
