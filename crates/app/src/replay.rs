//! What an earlier request was about, for a caller who repeats it and kept nothing but its key.
//!
//! A command fills in what was not said (the room, the turn, the lease, a drafted handoff) from how things stand.
//! When it is repeated they stand differently, so these come from the first answer and the log. Then the request is
//! what it was, and gets the first answer like any other retry; one that says something else is still a conflict.

use baton_core::{
    handoff::Handoff,
    ids::{AgentId, LeaseId, RoomId, Seq},
    lease::Fence,
    limits,
    room::Event,
};
use baton_store::{engine::Tx, idempotency, log};
use serde::{Deserialize, de::IgnoredAny};

use crate::{
    App, Caller, Failure,
    app::{scoped, scoped_to_process},
    employment::require_proof,
};

/// A request that was carried out under a key.
#[derive(Clone, Debug, PartialEq)]
pub struct Earlier {
    /// Where.
    pub room_id: RoomId,
    /// The turn it showed, where it shows one.
    pub turn_id: Fence,
    /// The lease it showed, where it shows one.
    pub lease_id: Option<LeaseId>,
    /// The handoff it carried.
    pub handoff: Option<Handoff>,
}

/// What answers tell of their request. Not every answer has every part.
#[derive(Deserialize)]
struct Answer {
    room_id: RoomId,
    turn_id: Option<Fence>,
    event_seq: Option<Seq>,
    revoked_agent_id: Option<AgentId>,
    /// Timings, which an operator sets without showing a turn.
    policy: Option<IgnoredAny>,
}

/// The request that the caller had carried out under `key`, if there was one and it was about a room.
pub fn earlier(app: &App, caller: &Caller, key: &str) -> Result<Option<Earlier>, Failure> {
    let actor = caller.actor();
    let (kept_under, agent) = ([scoped(&actor, key), scoped_to_process(&actor, key)], &actor.agent_id);
    app.store.read(|tx| {
        require_proof(tx, caller, &actor)?;
        let mut first = None;
        for kept_under in &kept_under {
            first = first.or(idempotency::find(tx, agent, kept_under)?);
        }
        let Some(first) = first else { return Ok(None) };
        let Ok(answer) = serde_json::from_str::<Answer>(&first.answer) else { return Ok(None) };
        let turn_id = match (answer.turn_id, &answer.revoked_agent_id) {
            // A takeover shows the turn that it ends: the one before its own.
            (Some(granted), Some(_)) => Fence(granted.0.saturating_sub(1)),
            (Some(shown), None) => shown,
            // Of the answers to requests that show a turn only closing's has none, and no turn comes after that.
            (None, _) => app.room(tx, &answer.room_id)?.turn,
        };
        let showed_none = answer.policy.is_some() && answer.turn_id.is_none();
        let lease_id = if showed_none { None } else { lease_shown(tx, &answer, turn_id, agent)? };
        let handoff = match answer.event_seq {
            Some(seq) => log::find(tx, &answer.room_id, seq)?.and_then(|recorded| recorded.event.handoff().cloned()),
            None => None,
        };
        Ok(Some(Earlier { room_id: answer.room_id, turn_id, lease_id, handoff }))
    })
}

/// The lease under which `agent` held `turn`. Of a room that was closed: only if it was held then.
fn lease_shown(tx: &mut dyn Tx, answer: &Answer, turn: Fence, agent: &AgentId) -> Result<Option<LeaseId>, Failure> {
    let closing = answer.turn_id.is_none();
    let mut before = None;
    loop {
        let page = log::before(tx, &answer.room_id, before, limits::EVENTS_MAX)?;
        let Some(oldest) = page.last() else { return Ok(None) };
        before = Some(oldest.seq);
        // A turn begins with its grant, so what is older belongs to earlier ones.
        for recorded in page {
            let grant = match recorded.event.room() {
                _ if recorded.turn < turn => return Ok(None),
                _ if recorded.turn > turn => continue,
                Some(Event::Released(_) | Event::Passed(_)) if closing => return Ok(None),
                Some(Event::Claimed(claimed)) => &claimed.grant,
                Some(Event::TakenOver(taken)) => &taken.grant,
                _ => continue,
            };
            return Ok((recorded.actor == *agent).then(|| grant.lease_id.clone()));
        }
    }
}
