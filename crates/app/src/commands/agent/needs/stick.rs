//! A stick that nobody moves: whoever has it is gone, or let its time run out, and the caller may take it over.

use baton_core::{
    ids::AgentId,
    process::Liveness,
    room::{Prospect, Stick, TakeoverReason},
    time::Timestamp,
};

use baton_store::engine::Tx;

use super::{Evidence, Need, NeedKind, scene::Scene};
use crate::{Failure, connection::Signs, wording};

/// The stick, if it is open to a takeover by the caller.
pub(super) fn stuck(tx: &mut dyn Tx, scene: &Scene<'_>) -> Result<Option<Need>, Failure> {
    let Scene { room, eyes, now, you, .. } = scene;
    let Prospect::Takeover { reason } = room.prospect(*now, &you.agent_id, you.process.as_ref(), *eyes) else {
        return Ok(None);
    };
    let Some((holder, expires_at, liveness)) = awaited(scene) else { return Ok(None) };
    let member = room.member(holder);
    let connection = match member {
        Some(member) => Some(Signs::read(tx, room, *eyes)?.status(&scene.vantage(), member)),
        None => None,
    };
    let who = scene.whom(holder);
    let last_seen_at = member.map(|member| member.last_seen_at);
    let pid = match &room.stick {
        Stick::Owned(ownership) => ownership.process.as_ref(),
        _ => member.and_then(|member| member.process.as_ref()),
    }
    .map(|process| process.pid);
    let since = match reason {
        TakeoverReason::OwnerTimeout | TakeoverReason::ClaimTimeout => expires_at,
        // When exactly a process ended is not known; it was after it was last heard of.
        TakeoverReason::OwnerGone | TakeoverReason::RecipientGone => last_seen_at.unwrap_or(room.updated_at),
    };
    let words = format!("{} {}", wording::takeover_open(reason), wording::liveness(&liveness));
    let title = match reason {
        TakeoverReason::OwnerGone | TakeoverReason::OwnerTimeout => {
            format!("{} does not let go of the stick", who.name)
        }
        TakeoverReason::ClaimTimeout | TakeoverReason::RecipientGone => format!("{} does not take the stick", who.name),
    };
    let evidence = Evidence {
        basis: Some(reason),
        liveness,
        connection,
        words: words.clone(),
        lease_expires_at: expires_at,
        last_seen_at,
        pid,
        turn_id: Some(room.turn),
    };
    let command = scene.command(&format!("take --turn {} --reason 'Why'", room.turn));
    let need = scene.need(NeedKind::Stuck, since, room.turn, who);
    Ok(Some(Need { title, words, evidence: Some(evidence), command, ..need }))
}

/// Whom everybody waits for, until when, and what is seen of its process.
fn awaited<'a>(scene: &'a Scene<'_>) -> Option<(&'a AgentId, Timestamp, Liveness)> {
    match &scene.room.stick {
        Stick::Owned(ownership) => {
            Some((&ownership.lease.holder, ownership.lease.expires_at, ownership.liveness(scene.eyes)))
        }
        Stick::Reserved(reservation) => {
            let member = scene.room.member(&reservation.recipient);
            let liveness = member.map_or(Liveness::Unknown, |member| member.liveness(scene.eyes));
            Some((&reservation.recipient, reservation.claim_expires_at, liveness))
        }
        Stick::Idle(_) | Stick::Closed => None,
    }
}
