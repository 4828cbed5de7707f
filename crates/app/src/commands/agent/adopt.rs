//! Going on as another session that left its work behind.

use baton_core::{
    agent::{Adopting, Presence, ResumeReason},
    code::ErrorCode,
    envelope::{self, Edge},
    event::Event,
    ids::{AgentId, BeadId, RoomId, Seq},
    inbox::{self, Forwarded},
    limits,
    protocol::ProtocolEvent,
    room::Resumed,
    scope::{self, Transferred},
    turn::Outcome,
};
use baton_store::{envelopes, former, inbox as items, tasks};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{directory::target, evidence::Survey};
use crate::{
    App, Caller, Failure, Rights,
    app::{Request, internal},
    table::{AGENT, Access, Effect, Place, UseCase},
    unit::Change,
};

/// `agent.adopt`
pub struct Adopt;

/// Whom to go on as.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdoptInput {
    pub room_id: RoomId,
    /// Name or id of the identity
    pub agent: String,
    /// Where you go on; default: what it had reserved
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// Who you are now, and why you may be.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct AdoptResult {
    pub room_id: RoomId,
    pub agent_id: AgentId,
    /// The name that goes on with you.
    pub adopted_agent: String,
    pub prior_session_agent: AgentId,
    pub resume_reason: ResumeReason,
    pub evidence: String,
    /// How present the prior session was.
    pub prior_liveness: Presence,
    pub bead_ids: Vec<BeadId>,
    /// Reservations that are yours now.
    pub scopes: Vec<String>,
    /// Messages that are yours now.
    pub messages: usize,
    /// The protocol's RESUME event.
    pub event: ProtocolEvent,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl UseCase for Adopt {
    const NAME: &'static str = "agent.adopt";
    const PLACE: Place = Place::Portal(&AGENT);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::AGENTS.without_jobs(None);
    const ABOUT: &'static str =
        "Go on as another session that left uncommitted changes in its scope, or a task in progress.";
    type Input = AdoptInput;
    type Output = AdoptResult;

    fn perform(app: &App, caller: &Caller, input: AdoptInput) -> Result<AdoptResult, Failure> {
        adopt(app, caller, &input, Confirmed::No)
    }
}

/// The same, confirmed by a person at a terminal, whatever the evidence. No other surface offers it.
pub fn adopt_confirmed(app: &App, caller: &Caller, input: &AdoptInput) -> Result<AdoptResult, Failure> {
    if caller.rights() < Rights::Operator {
        let message = "Only a person at a terminal can confirm an adoption.";
        return Err(Failure::new(ErrorCode::AdoptionRejected, message));
    }
    adopt(app, caller, input, Confirmed::Yes)
}

/// Whether a person said that it is to be done without evidence.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Confirmed {
    Yes,
    No,
}

pub(super) fn adopt(
    app: &App,
    caller: &Caller,
    input: &AdoptInput,
    confirmed: Confirmed,
) -> Result<AdoptResult, Failure> {
    let stale_after = app.stale_after()?;
    let request = Request { command: Adopt::NAME, input, key: input.idempotency_key.as_deref() };
    if let Some(first) = app.replay(caller, &request)? {
        return Ok(first);
    }
    let room = app.store.read(|tx| {
        let room = app.room(tx, &input.room_id)?;
        target(&room, &former::all(tx, &room.id)?, &input.agent)?;
        Ok::<_, Failure>(room)
    })?;
    let survey = Survey::make(app, caller, &room, &input.scopes)?;
    app.change(caller, &request, &input.room_id, |change| {
        let former = change.former()?;
        let target = target(&change.room, &former, &input.agent)?;
        let mut evidence = survey.evidence(change.store.tx()?, &change.room, &target)?;
        evidence.confirmed = confirmed == Confirmed::Yes;
        // What ran out by now is archived before it could go on with somebody else.
        change.scopes()?;
        // Before it is no member any more: its stream is forgotten with that.
        change.end_stream(&target.agent_id, GOES_ON, stale_after)?;
        let resumed = change.room.adopt(change.call(), &Adopting { target, evidence, stale_after, former })?;
        let (resumed, recorded) = change.record(resumed)?;
        let scopes = move_scopes(change, &resumed)?;
        move_tasks(change, &resumed)?;
        let messages = move_items(change, &resumed)?;
        move_exchange(change, &resumed)?;
        let event = ProtocolEvent::of(&recorded, (&change.room).into())
            .ok_or_else(|| internal("a resume is an event of the protocol"))?;
        let holds = change.room.owner() == Some(&resumed.prior_session_agent);
        Ok(AdoptResult {
            room_id: change.room.id.clone(),
            agent_id: resumed.agent_id,
            adopted_agent: resumed.adopted_agent,
            prior_session_agent: resumed.prior_session_agent,
            resume_reason: resumed.resume_reason,
            evidence: resumed.evidence,
            prior_liveness: resumed.prior_presence,
            bead_ids: resumed.bead_ids,
            scopes,
            messages,
            event,
            next: holds.then(|| {
                "The prior session still holds the stick: `wait_for_turn` says when it can be taken over.".to_owned()
            }),
        })
    })
}

/// Its reservations go on with the adopter.
fn move_scopes(change: &mut Change<'_>, resumed: &Resumed) -> Result<Vec<String>, Failure> {
    let now = change.now;
    let scopes = change.scopes()?;
    let own = scopes.of(&resumed.prior_session_agent).filter(|own| own.is_live(now));
    let moves: Vec<Transferred> = own
        .map(|own| Transferred {
            reservation: own.id(),
            scope: own.scope.clone(),
            from: resumed.prior_session_agent.clone(),
            to: resumed.agent_id.clone(),
        })
        .collect();
    let moved = moves.iter().map(|moved| moved.scope.clone()).collect();
    change.record(moves.into_iter().map(scope::Event::Transferred).collect::<Vec<_>>())?;
    Ok(moved)
}

/// Its tasks too.
fn move_tasks(change: &mut Change<'_>, resumed: &Resumed) -> Result<(), Failure> {
    for task in tasks::unfinished_of(change.store.tx()?, &change.room.id, &resumed.prior_session_agent)? {
        change.record(task.assign(Some(&resumed.agent_id))?)?;
    }
    Ok(())
}

/// Why its turn is lost.
const GOES_ON_AS_ANOTHER: &str = "its agent goes on as another session";

/// What it owes a response for and is owed one for, and between whom and it envelopes may go.
fn move_exchange(change: &mut Change<'_>, resumed: &Resumed) -> Result<(), Failure> {
    let (from, to) = (&resumed.prior_session_agent, &resumed.agent_id);
    let any_owed = !envelopes::concerning(change.store.tx()?, &change.room.id, from, 1)?.is_empty();
    let any_edge = change.store.current::<Edge>()?.iter().any(|edge| edge.from == *from || edge.to == *from);
    if any_owed || any_edge {
        let forwarded = envelope::Forwarded { from: from.clone(), to: to.clone() };
        change.record(envelope::Event::Forwarded(forwarded))?;
    }
    Ok(())
}

/// Why nothing comes of what was asked of who was adopted.
const GOES_ON: &str = "its target goes on as another session";

/// And what waits in its inbox. Of a message that the adopter has too, its own item is enough.
fn move_items(change: &mut Change<'_>, resumed: &Resumed) -> Result<usize, Failure> {
    let (from, to) = (&resumed.prior_session_agent, &resumed.agent_id);
    // What its turn had waits again, and goes on with the rest.
    change.end_turn_of(from, Outcome::Lost, GOES_ON_AS_ANOTHER)?;
    let waiting = items::pending(change.store.tx()?, &change.room.id, from, Seq(0), u32::MAX)?;
    let doubled = items::shared(change.store.tx()?, &change.room.id, to, from)?;
    let messages: Vec<Seq> = waiting.iter().map(|item| item.message).collect();
    change.store.note(waiting);
    change.store.note(doubled);
    // An event stays of a size that can be shown, however much has piled up.
    for some in messages.chunks(limits::FORWARDED_ITEMS) {
        let forwarded = Forwarded { items: some.to_vec(), from: from.clone(), to: to.clone() };
        change.record(Event::Inbox(inbox::Event::Forwarded(forwarded)))?;
    }
    // What it had taken on already, its own runtime knew alone.
    change.end_actions_of(from, GOES_ON)?;
    Ok(messages.len())
}
