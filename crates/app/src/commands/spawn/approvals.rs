//! Requests for agents: listing them and deciding on them.

use baton_core::{
    code::ErrorCode,
    envelope::Party,
    ids::{AgentId, RoomId},
    job::JobId,
    limits,
    room::Room,
    spawn::{Approval, ApprovalId, ApprovalStatus, Changes, Decision, NodeSpec, Requested, SpecDigest},
    time::Timestamp,
};
use baton_store::{engine::Tx, spawns};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    node::{self, Names, pending_spec, requested},
    pending_digest,
    request::bounds_of_agent,
};
use crate::{
    App, Caller, Failure,
    app::Request,
    bounds::{self, Page},
    commands::envelope::called,
    presence,
    table::{AGENT, Access, Effect, Place, UseCase},
    unit::Change,
};

/// A request for an agent, less what it asks for in full: `open` shows that.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalView {
    pub approval: ApprovalId,
    pub status: ApprovalStatus,
    pub title: String,
    /// What people call who asked.
    pub requested_by: String,
    pub requested_by_agent_id: AgentId,
    pub requested_at: Timestamp,
    /// The job that came of it.
    pub job: Option<JobId>,
    /// What people call who decided.
    pub decided_by: Option<String>,
    pub decided_at: Option<Timestamp>,
    pub reason: Option<String>,
    /// While it is pending: what to approve it with, so that nothing else is approved than what is shown. Then: of what
    /// was approved.
    pub digest: Option<SpecDigest>,
}

impl ApprovalView {
    pub(crate) fn of(room: &Room, approval: &Approval, digest: Option<SpecDigest>) -> Self {
        Self {
            approval: approval.id,
            status: approval.status,
            title: approval.title.clone(),
            requested_by: called(room, &approval.requested_by),
            requested_by_agent_id: approval.requested_by.clone(),
            requested_at: approval.requested_at,
            job: approval.job,
            decided_by: approval.decided_by.as_ref().map(|by| called(room, by)),
            decided_at: approval.decided_at,
            reason: approval.reason.clone(),
            digest,
        }
    }
}

/// `agent.approval.list`
pub struct ApprovalList;

/// Which requests.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovalListInput {
    pub room_id: RoomId,
    /// Only those
    pub status: Option<ApprovalStatus>,
    /// Only older ones: the last one seen
    pub before: Option<ApprovalId>,
    /// 1 to 200; default 25
    pub limit: Option<u32>,
}

/// Requests, newest first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalListResult {
    pub room_id: RoomId,
    pub approvals: Vec<ApprovalView>,
    /// Whether there are more: ask again with `before` the last one.
    pub has_more: bool,
}

impl UseCase for ApprovalList {
    const NAME: &'static str = "agent.approval.list";
    const PLACE: Place = Place::Portal(&AGENT);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "Requests for further agents, newest first. `open` shows one in full.";
    type Input = ApprovalListInput;
    type Output = ApprovalListResult;

    fn perform(app: &App, caller: &Caller, input: ApprovalListInput) -> Result<ApprovalListResult, Failure> {
        let limit = bounds::limit(input.limit, limits::CARDS_DEFAULT, limits::CARDS_MAX)?;
        let (room, found) = presence::read(app, caller, &input.room_id, |tx, room, _| {
            let found = input.find(tx, limit + 1)?;
            let digests: Vec<_> =
                found.iter().map(|approval| pending_digest(tx, &room.id, approval)).collect::<Result<_, _>>()?;
            let found: Vec<_> = found.into_iter().zip(digests).collect();
            Ok(found)
        })?;
        let approvals =
            Page::default().fill(&found, limit, |(approval, digest)| ApprovalView::of(&room, approval, digest.clone()));
        let has_more = approvals.len() < found.len();
        Ok(ApprovalListResult { approvals, room_id: room.id, has_more })
    }
}

impl ApprovalListInput {
    /// The first `most` requests that are meant: it is read on until there are enough.
    fn find(&self, tx: &mut dyn Tx, most: u32) -> Result<Vec<Approval>, Failure> {
        let (mut found, mut before) = (Vec::new(), self.before);
        loop {
            let some = spawns::before(tx, &self.room_id, before, most)?;
            let (read, last) = (some.len(), some.last().map(|approval| approval.id));
            found
                .extend(some.into_iter().filter(|approval| self.status.is_none_or(|status| approval.status == status)));
            if read < most as usize || found.len() >= most as usize {
                found.truncate(most as usize);
                return Ok(found);
            }
            before = last;
        }
    }
}

/// `agent.approval.resolve`
pub struct ApprovalResolve;

/// What is decided.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovalResolveInput {
    pub room_id: RoomId,
    /// APPROVAL-1
    pub approval: ApprovalId,
    pub decision: Decision,
    /// With approve and modify: the one that `open` and `agent approval.list` show with the request
    pub digest: Option<SpecDigest>,
    /// With modify: what is different
    pub changes: Option<Changes>,
    pub reason: Option<String>,
    /// Repeat a call safely: the same key gets the first answer
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
