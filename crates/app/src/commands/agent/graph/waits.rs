//! Who waits for whom, and why, as far as it is on record.
//!
//! A wait is something that somebody is owed: a response, a result, an acceptance, an answer, a decision, a claim of the
//! stick; and a call that waits for others at this moment (`wait_for`), while its process is there.

use baton_core::{
    envelope::Posted,
    ids::{AgentId, Seq},
    inbox::Item,
    job::{Job, agent_of},
    reference::Reference,
    room::{RoomState, Stick},
    time::Timestamp,
};
use baton_store::{bus, engine::Tx, envelopes, jobs, log, spawns, table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Failure,
    app::Sight,
    bounds::first_line,
    commands::{
        envelope::{RequestView, called, known_as},
        inbox::words,
        waiting::{self, Reason, of_agent, of_job},
    },
};

/// Waits of each kind that a graph has at most.
const WAITS_MAX: u32 = 50;

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum WaitKind {
    /// A response to an envelope.
    Response,
    /// That a message is accepted.
    Acceptance,
    /// That the stick is claimed.
    Stick,
    /// A manager's answer to a job's question.
    Answer,
    /// That a request for another agent is decided on.
    Approval,
    /// The result of an action of the bus.
    Result,
    /// An answer, or the end of a job, in a call of `wait_for` that is in progress.
    Call,
}

impl WaitKind {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Response => "response",
            Self::Acceptance => "acceptance",
            Self::Stick => "stick",
            Self::Answer => "answer",
            Self::Approval => "approval",
            Self::Result => "result",
            Self::Call => "call",
        }
    }
}

/// Somebody who waits.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WaitView {
    pub kind: WaitKind,
    pub from_agent_id: AgentId,
    /// Who waits.
    pub from: String,
    /// For whom, where it is somebody in particular.
    pub to_agent_id: Option<AgentId>,
    pub to: String,
    /// What for.
    pub why: String,
    /// Why it has not happened, as far as it can be seen.
    pub pending: Option<String>,
    /// Whether nothing comes of waiting any longer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub over: bool,
    pub since: Timestamp,
    /// Where to open what it is about.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub reference: Option<Reference>,
    /// The message that it is about.
    pub message: Option<Seq>,
}

/// All waits of a room but those for acceptance.
pub(super) fn of_room(tx: &mut dyn Tx, sight: &Sight<'_>) -> Result<Vec<WaitView>, Failure> {
    let mut waits = responses(tx, sight)?;
    waits.extend(stick(tx, sight)?);
    waits.extend(answers(tx, sight)?);
    waits.extend(approvals(tx, sight)?);
    waits.extend(results(tx, sight)?);
    waits.extend(calls(tx, sight)?);
    Ok(waits)
}

/// Calls of `wait_for` in progress, a row for each of those that they wait for.
fn calls(tx: &mut dyn Tx, sight: &Sight<'_>) -> Result<Vec<WaitView>, Failure> {
    let room = &sight.room;
    let mut waits = Vec::new();
    for wait in waiting::in_progress(tx, &room.id, &sight.eyes, sight.now)? {
        let any = if wait.awaited.any { ", or that of another" } else { "" };
        let from = known_as(tx, room, &wait.agent_id)?;
        let view = |(to, name): (&AgentId, String), why: String, reason: Reason, reference| WaitView {
            kind: WaitKind::Call,
            from: from.clone(),
            from_agent_id: wait.agent_id.clone(),
            to: name,
            to_agent_id: Some(to.clone()),
            why,
            pending: Some(reason.why),
            over: reason.over,
            since: wait.since,
            reference,
            message: None,
        };
        for agent in &wait.awaited.agents {
            let asked = envelopes::last_between(tx, &room.id, (&wait.agent_id, agent))?.map(|posted| posted.sent_at);
            let reason = of_agent(tx, &reasons(sight), agent, asked)?;
            let name = known_as(tx, room, agent)?;
            waits.push(view((agent, name), format!("its answer{any}, in a call of wait_for"), reason, None));
        }
        for id in &wait.awaited.jobs {
            let Some(job) = table::find::<Job>(tx, &room.id, id)?.filter(|job| job.status.is_active()) else {
                continue;
            };
            let reason = of_job(tx, &reasons(sight), &job)?;
            let why = format!("the end of {id}{any}, in a call of wait_for");
            waits.push(view((&agent_of(&room.id, *id), id.to_string()), why, reason, Some(Reference::Job(*id))));
        }
        if waits.len() >= WAITS_MAX as usize {
            break;
        }
    }
    Ok(waits)
}

/// The waits of one agent, and those for it.
pub(in super::super) fn of_agent_in(
    tx: &mut dyn Tx,
    sight: &Sight<'_>,
    agent: &AgentId,
) -> Result<Vec<WaitView>, Failure> {
    let mut waits = of_room(tx, sight)?;
    waits.retain(|wait| wait.from_agent_id == *agent || wait.to_agent_id.as_ref() == Some(agent));
    waits.sort_by_key(|wait| wait.since);
    Ok(waits)
}

fn responses(tx: &mut dyn Tx, sight: &Sight<'_>) -> Result<Vec<WaitView>, Failure> {
    let owed = envelopes::owed(tx, &sight.room.id, WAITS_MAX)?;
    let requests = RequestView::all(tx, &sight.room, &sight.eyes, &owed)?;
    let mut waits = Vec::new();
    for (posted, request) in owed.iter().zip(requests) {
        let reason = of_agent(tx, &reasons(sight), &posted.recipient, Some(posted.sent_at))?;
        waits.push(WaitView {
            kind: WaitKind::Response,
            from_agent_id: posted.reply_to.clone(),
            from: request.reply_to,
            to_agent_id: Some(posted.recipient.clone()),
            to: request.to_agent,
            why: format!("a response to: {}", request.subject),
            pending: Some(reason.why),
            over: reason.over,
            since: posted.sent_at,
            reference: Some(request.reference),
            message: Some(posted.seq),
        });
    }
    Ok(waits)
}

/// What of `pending` has to be accepted. What is owed a response waits for that.
pub(super) fn for_acceptance(tx: &mut dyn Tx, sight: &Sight<'_>, pending: &[Item]) -> Result<Vec<WaitView>, Failure> {
    let room = &sight.room;
    let open = pending.iter().filter(|item| item.requires_ack && item.accepted_at.is_none());
    let mut open: Vec<&Item> = open.collect();
    open.sort_by_key(|item| (item.message, item.recipient.clone()));
    let places: Vec<Seq> = open.iter().map(|item| item.message).collect();
    let events = log::find_all(tx, &room.id, &places)?;
    let mut waits = Vec::new();
    for item in open {
        let recorded = events.iter().find(|recorded| recorded.seq == item.message);
        let Some(words) = recorded.and_then(|recorded| words(recorded, room)) else { continue };
        let owed = table::find::<Posted>(tx, &room.id, &item.message)?.is_some_and(|posted| posted.is_owed());
        if owed || waits.len() >= WAITS_MAX as usize {
            continue;
        }
        let reason = of_agent(tx, &reasons(sight), &item.recipient, Some(item.queued_at))?;
        waits.push(WaitView {
            kind: WaitKind::Acceptance,
            from_agent_id: item.sender.clone(),
            from: words.from_agent,
            to_agent_id: Some(item.recipient.clone()),
            to: known_as(tx, room, &item.recipient)?,
            why: format!("that it is accepted: {}", words.subject),
            pending: Some(format!("{}; {}", item.stage().as_str(), reason.why)),
            over: reason.over,
            since: item.queued_at,
            reference: words.reference,
            message: Some(item.message),
        });
    }
    Ok(waits)
}

fn stick(tx: &mut dyn Tx, sight: &Sight<'_>) -> Result<Option<WaitView>, Failure> {
    let room = &sight.room;
    let Stick::Reserved(reservation) = &room.stick else { return Ok(None) };
    let gone = room.state(sight.now, &sight.eyes) == RoomState::RecipientGone;
    let until = match (gone, reservation.claim_expires_at > sight.now) {
        (true, _) => "its process is gone: anybody may take over".to_owned(),
        (false, true) => format!("kept until {}", reservation.claim_expires_at),
        (false, false) => "the time to claim it is over: anybody may take over".to_owned(),
    };
    Ok(Some(WaitView {
        kind: WaitKind::Stick,
        from: known_as(tx, room, &reservation.pending.from)?,
        from_agent_id: reservation.pending.from.clone(),
        to: known_as(tx, room, &reservation.recipient)?,
        to_agent_id: Some(reservation.recipient.clone()),
        why: "that the stick is claimed".to_owned(),
        pending: Some(until),
        over: gone,
        since: room.updated_at,
        reference: None,
        message: Some(reservation.pending.seq),
    }))
}

fn answers(tx: &mut dyn Tx, sight: &Sight<'_>) -> Result<Vec<WaitView>, Failure> {
    let room = &sight.room;
    let jobs = jobs::radar(tx, &room.id, sight.now, WAITS_MAX)?;
    let asking: Vec<_> = jobs.into_iter().filter(|job| job.status.is_active() && job.needs_manager()).collect();
    let places: Vec<Seq> = asking.iter().map(|job| job.last_question).collect();
    let events = log::find_all(tx, &room.id, &places)?;
    let wait = |job: Job| {
        let asked = events.iter().find(|recorded| recorded.seq == job.last_question);
        let agent = agent_of(&room.id, job.id);
        Ok(WaitView {
            kind: WaitKind::Answer,
            from: called(room, &agent),
            from_agent_id: agent,
            to: known_as(tx, room, &job.created_by)?,
            to_agent_id: Some(job.created_by),
            why: format!("an answer: {}", first_line(&job.title)),
            pending: None,
            over: false,
            since: asked.map_or(job.active_at, |recorded| recorded.at),
            reference: Some(Reference::JobEvent(job.id, job.last_question)),
            message: None,
        })
    };
    asking.into_iter().map(wait).collect()
}

fn approvals(tx: &mut dyn Tx, sight: &Sight<'_>) -> Result<Vec<WaitView>, Failure> {
    let room = &sight.room;
    let pending = spawns::pending(tx, &room.id, WAITS_MAX)?;
    let wait = |approval: baton_core::spawn::Approval| {
        Ok(WaitView {
            kind: WaitKind::Approval,
            from: known_as(tx, room, &approval.requested_by)?,
            from_agent_id: approval.requested_by,
            to_agent_id: None,
            to: "an operator".to_owned(),
            why: format!("a decision on another agent: {}", first_line(&approval.title)),
            pending: None,
            over: false,
            since: approval.requested_at,
            reference: Some(Reference::Approval(approval.id)),
            message: None,
        })
    };
    pending.into_iter().map(wait).collect()
}

fn results(tx: &mut dyn Tx, sight: &Sight<'_>) -> Result<Vec<WaitView>, Failure> {
    let room = &sight.room;
    let mut waits = Vec::new();
    for target in bus::owing(tx, &room.id)? {
        let left = WAITS_MAX.saturating_sub(waits.len().try_into().unwrap_or(WAITS_MAX));
        if left == 0 {
            break;
        }
        for action in bus::open_of(tx, &room.id, &target, Seq::default(), left)? {
            let reason = of_agent(tx, &reasons(sight), &target, Some(action.submitted_at))?;
            let what = action.control.map_or("a message".to_owned(), |control| format!("/{}", control.as_str()));
            waits.push(WaitView {
                kind: WaitKind::Result,
                from: known_as(tx, room, &action.sender)?,
                from_agent_id: action.sender,
                to: known_as(tx, room, &target)?,
                to_agent_id: Some(target.clone()),
                why: format!("the result of {what}"),
                pending: Some(reason.why),
                over: reason.over,
                since: action.submitted_at,
                reference: None,
                message: Some(action.seq),
            });
        }
    }
    Ok(waits)
}

fn reasons<'a>(sight: &'a Sight<'_>) -> waiting::Sight<'a> {
    waiting::Sight { room: &sight.room, witness: &sight.eyes, now: sight.now, began: sight.now }
}
