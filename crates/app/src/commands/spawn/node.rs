//! A request that was approved becomes an agent: a job, its first envelope, and an edge to whoever asked.

use baton_core::{
    envelope::{self, Draft, Edge, Ends, EnvelopeKind, Party, Payload, PayloadId, Sent, Verdict},
    event::Event,
    ids::RoomId,
    job::{Job, JobId, agent_of},
    reference::Reference,
    room::Member,
    spawn::{self, Approval, ApprovalId, ApprovalStatus, Approved, Changes, NodeSpec, Requested, SpecDigest},
    task::Task,
};
use baton_store::{engine::Tx, log, table};
use serde_json::{Map, json};

use super::request::bounds_of_agent;
use crate::{
    Failure,
    app::internal,
    clock::fresh_word,
    commands::{
        envelope::{Along, called, post},
        jobs::{create, require_anchor},
    },
    refs,
    unit::Change,
};

/// How many events after its job's first one an approval is at most.
const APPROVED_WITHIN: u32 = 8;

/// The names of the envelopes that may come of a decision.
pub(super) struct Names {
    first: PayloadId,
    answer: PayloadId,
}

impl Names {
    pub(super) fn fresh() -> Result<Self, Failure> {
        let name = || format!("payload-{}", fresh_word()?).parse().map_err(internal);
        Ok(Self { first: name()?, answer: name()? })
    }
}

/// Refuses a request that could not become an agent: what it is about and points to must be there.
pub(super) fn require(change: &mut Change<'_>, spec: &NodeSpec, parent: &Party) -> Result<(), Failure> {
    spec.check(&parent.agent_id)?;
    if let Some(task) = spec.task
        && change.store.find::<Task>(&task)?.cloned().is_none()
    {
        return Err(Failure::unknown_task(&task.to_string()));
    }
    require_anchor(change, spec.anchor.as_ref())?;
    let room = change.room.id.clone();
    let artifacts = spec.payload.references()?;
    refs::require(change.store.tx()?, &room, &artifacts).map_err(|failure| failure.with("field", "artifacts"))?;
    let pack: Vec<Reference> = envelope::check_context_ref(spec.context_ref.as_deref())?.into_iter().collect();
    refs::require(change.store.tx()?, &room, &pack).map_err(|failure| {
        let next = "Build a pack with `context build`, and use the ref that it answers.";
        failure.with("field", "context_ref").advising(next)
    })
}

/// Makes the agent, and gives its job.
pub(super) fn make(
    change: &mut Change<'_>,
    approval: ApprovalId,
    spec: &NodeSpec,
    parent: &Party,
    names: &Names,
) -> Result<JobId, Failure> {
    let job = create(change, &spec.job(&parent.agent_id))?.job;
    let child = Party { agent_id: agent_of(&change.room.id, job), name: job.to_string() };
    let decided = change.store.current::<Edge>()?.add_edge(parent, &child, true)?;
    change.record(decided)?;
    let first = Draft {
        kind: EnvelopeKind::Handoff,
        id: names.first.clone(),
        from: None,
        to: child.name.clone(),
        created_at: None,
        payload: spec.payload.clone(),
        reply_to: None,
        context_ref: spec.context_ref.clone(),
        meta: Map::from_iter([("approval".to_owned(), json!(approval))]),
    };
    // Whoever approves is not the one who sends it.
    let sender_kind = change.room.member(&parent.agent_id).and_then(Member::sender_kind);
    post(change, &first, &Ends { from: parent.clone(), to: child, reply_to: None, sender_kind }, Along::Decision)?;
    Ok(job)
}

/// Tells whoever asked what was decided.
pub(super) fn tell(
    change: &mut Change<'_>,
    approval: &Approval,
    modified: &[String],
    names: &Names,
) -> Result<(), Failure> {
    let approved = approval.status == ApprovalStatus::Approved;
    let decision = match (approved, modified.is_empty()) {
        (true, true) => "approve",
        (true, false) => "modify",
        (false, _) => "deny",
    };
    let became = approval.job.map_or_else(String::new, |job| format!(": {job}"));
    let why = approval.reason.as_ref().map_or_else(String::new, |reason| format!(" ({reason})"));
    let message = format!("{} was {}{became}{why}", approval.id, approval.status);
    let answer = Draft {
        kind: EnvelopeKind::Signal,
        id: names.answer.clone(),
        from: None,
        to: approval.requested_by.to_string(),
        created_at: None,
        payload: Payload {
            // The reason is stored, so nothing in it is a secret that the cut could hide.
            message: message.chars().take(MESSAGE_CHARS).collect(),
            structured: Some(json!({
                "approval": approval.id, "decision": decision, "job": approval.job, "modified": modified,
            })),
            artifacts: Vec::new(),
            status: Some(Verdict { ok: approved, reason: approval.reason.clone() }),
            response: None,
        },
        reply_to: None,
        context_ref: None,
        meta: Map::new(),
    };
    let by = change.actor.agent_id.clone();
    let from = Party { name: called(&change.room, &by), agent_id: by };
    let to = Party { name: called(&change.room, &approval.requested_by), agent_id: approval.requested_by.clone() };
    deliver(change, &answer, Ends { from, to, reply_to: None, sender_kind: change.actor.sender_kind() })
}

/// How much of a reason stands in the message; all of it is in the status.
const MESSAGE_CHARS: usize = 300;

/// Puts an envelope into an inbox that answers nothing, whatever its sender owes its recipient.
fn deliver(change: &mut Change<'_>, draft: &Draft, ends: Ends) -> Result<(), Failure> {
    draft.check()?;
    let envelope = draft.seal(&ends, change.now)?;
    let Ends { from, to, sender_kind, .. } = ends;
    let sent =
        Sent { envelope: Box::new(envelope), from_name: from.name, sender_kind, to_name: to.name, answers: None };
    change.record(envelope::Event::Sent(sent)).map(|_| ())
}

/// What was asked for.
pub(crate) fn requested(tx: &mut dyn Tx, room: &RoomId, approval: &Approval) -> Result<Requested, Failure> {
    match log::find(tx, room, approval.seq)?.map(|recorded| recorded.event) {
        Some(Event::Spawn(spawn::Event::Requested(requested))) => Ok(requested),
        Some(_) | None => Err(internal("a request is in the log")),
    }
}

/// A pending request as it would be carried out now: less whatever its asker may no longer have. A request
/// that nothing would be made of is as it was asked for.
pub(crate) fn pending_spec(tx: &mut dyn Tx, room: &RoomId, approval: &Approval) -> Result<NodeSpec, Failure> {
    let Requested { spec, by_operator, .. } = requested(tx, room, approval)?;
    let bounds = bounds_of_agent(tx, room, &approval.requested_by, by_operator)?;
    Ok(spec.changed(&Changes::default(), &bounds).unwrap_or(*spec))
}

/// The digest to approve a request with, while it is pending.
pub(crate) fn pending_digest(
    tx: &mut dyn Tx,
    room: &RoomId,
    approval: &Approval,
) -> Result<Option<SpecDigest>, Failure> {
    if approval.status != ApprovalStatus::Pending {
        return Ok(None);
    }
    Ok(Some(pending_spec(tx, room, approval)?.digest(approval.id, &approval.requested_by)))
}

/// How it was approved, if it was: right after its job was created.
pub(crate) fn decided(tx: &mut dyn Tx, room: &RoomId, approval: &Approval) -> Result<Option<Approved>, Failure> {
    let Some(id) = approval.job else { return Ok(None) };
    let Some(job) = table::find::<Job>(tx, room, &id)? else { return Ok(None) };
    let after = log::after(tx, room, job.created_seq, APPROVED_WITHIN)?;
    Ok(after.into_iter().find_map(|recorded| match recorded.event {
        Event::Spawn(spawn::Event::Approved(approved)) if approved.approval == approval.id => Some(approved),
        _ => None,
    }))
}
