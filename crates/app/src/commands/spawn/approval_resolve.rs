//! Deciding on a request for an agent.

use baton_core::{
    code::ErrorCode,
    envelope::Party,
    ids::RoomId,
    job::JobId,
    spawn::{Approval, ApprovalId, Changes, Decision, Requested},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ApprovalView,
    authority::bounds_of_agent,
    node::{self, Names, requested},
};
use crate::{
    App, Caller, Failure,
    app::Request,
    change::Change,
    commands::envelope::called,
    table::{AGENT, Effect, Place, UseCase},
};

/// `agent.approval.resolve`
pub struct ApprovalResolve;

/// What is decided.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovalResolveInput {
    pub room_id: RoomId,
    /// APPROVAL-1
    pub approval: ApprovalId,
    pub decision: Decision,
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
    const ABOUT: &'static str = "Approve, deny or modify a request for another agent (operators only).";
    type Input = ApprovalResolveInput;
    type Output = ApprovalResolveResult;

    fn run(app: &App, caller: &Caller, input: ApprovalResolveInput) -> Result<ApprovalResolveResult, Failure> {
        caller.require_operator("decide on further agents")?;
        let (said, names) = (input.changes()?, Names::fresh()?);
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        let decided = app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            let approval = change.approval(input.approval)?.ok_or_else(|| Failure::unknown_id(input.approval))?;
            approval.require_pending()?;
            let changes = said.clone().of(&requested(change.tx, &change.room.id, &approval)?.spec);
            let modified = changes.fields();
            if input.decision == Decision::Modify && modified.is_empty() {
                return Err(nothing_changed());
            }
            let event = match input.decision {
                Decision::Deny => approval.deny(input.reason.as_deref())?,
                Decision::Approve | Decision::Modify => {
                    let job = make(change, &approval, &changes, &names)?;
                    approval.approve(job, modified.clone(), input.reason.as_deref())?
                }
            };
            change.record(event)?;
            let approval = change.approval(input.approval)?.ok_or_else(|| Failure::unknown_id(input.approval))?;
            node::tell(change, &approval, &modified, &names)?;
            let view = ApprovalView::of(&change.room, &approval);
            Ok(ApprovalResolveResult { room_id: change.room.id.clone(), approval: view, modified })
        })?;
        if decided.approval.job.is_some() {
            app.job_was_queued(&decided.room_id);
        }
        Ok(decided)
    }
}

/// Makes what was asked for, with the changes, as far as whoever asked may have it now.
fn make(change: &mut Change<'_>, approval: &Approval, changes: &Changes, names: &Names) -> Result<JobId, Failure> {
    let Requested { spec, by_operator, .. } = requested(change.tx, &change.room.id, approval)?;
    let agent_id = approval.requested_by.clone();
    let parent = Party { name: called(&change.room, &agent_id), agent_id };
    let bounds = bounds_of_agent(change, &parent.agent_id, by_operator)?;
    bounds.require_spawning(change.room.policy.spawn, &parent.agent_id)?;
    let spec = spec.changed(changes, &bounds)?;
    node::require(change, &spec, &parent)?;
    node::make(change, approval.id, &spec, &parent, names)
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
