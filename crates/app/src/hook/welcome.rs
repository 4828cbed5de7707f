//! The text that a session begins with: where the agent is, what waits for it, and what is expected, in under a kilobyte.

use baton_core::{
    context::Stated,
    event::Recorded,
    ids::AgentId,
    lease::Standing,
    process::Witness,
    room::{Reservation, Room, Stick},
    time::Timestamp,
};
use baton_store::{engine::Tx, inbox, log, scopes, table, tasks};

use super::{
    line::{line, within_context},
    reason,
};
use crate::{Failure, unit::Change};

/// Longest part of a brief, a handoff or a title that is repeated.
const SAID_CHARS: usize = 160;

/// The text for a session that begins, with the work of others that its model missed.
pub(super) fn text(change: &mut Change<'_>, missed: Option<String>) -> Result<String, Failure> {
    let (you, now) = (change.actor.agent_id.clone(), change.now);
    let room = change.room.clone();
    let called = room.member(&you).map_or_else(|| you.to_string(), |member| member.display_name.clone());
    let place = room.canonical_path.as_deref().or(room.name.as_deref()).unwrap_or(room.id.as_str());
    let mut lines = vec![
        format!("Baton: you are {} in the room of {} ({}).", line(&called, 60), line(place, SAID_CHARS), room.id),
        stick(&room, &you, now, change.witness),
        "Before you change files: wait_for_turn (shell: baton wait); when done: release_stick with status and next_action \
         (baton release). Reading is free. Without the stick only files you reserved (scope reserve) can be changed."
            .to_owned(),
    ];
    lines.extend(missed);
    lines.extend(waiting(change.store.tx()?, &room, &you, now)?);
    Ok(within_context(&lines))
}

/// Where the stick is, seen by one agent.
pub(super) fn stick(room: &Room, you: &AgentId, now: Timestamp, witness: &dyn Witness) -> String {
    match &room.stick {
        Stick::Closed => "The room is closed.".to_owned(),
        Stick::Idle(_) => "The stick is free.".to_owned(),
        Stick::Owned(held) if held.lease.holder == *you => format!("You hold the stick (turn {}).", room.turn),
        Stick::Owned(held) => {
            let holder = reason::name(room, &held.lease.holder);
            match held.standing(now, witness) {
                Standing::Held => format!("{holder} holds the stick until {}.", reason::at(held.lease.expires_at, now)),
                Standing::Expired => format!("{holder} had the stick, and its lease ran out: it can be taken over."),
                Standing::Gone => format!("{holder} had the stick and is gone: it can be taken over."),
            }
        }
        Stick::Reserved(kept) if kept.recipient == *you => kept_for_you(kept, now),
        Stick::Reserved(kept) => format!("The stick is kept for {}.", reason::name(room, &kept.recipient)),
    }
}

/// The stick that waits for the reader.
pub(super) fn kept_for_you(kept: &Reservation, now: Timestamp) -> String {
    let until = reason::at(kept.claim_expires_at, now);
    format!("The stick is kept for you until {until}: call wait_for_turn to take it.")
}

/// Unfinished work: each a line, the most pressing first.
fn waiting(tx: &mut dyn Tx, room: &Room, you: &AgentId, now: Timestamp) -> Result<Vec<String>, Failure> {
    let mut lines = Vec::new();
    let mail = inbox::waiting(tx, &room.id, you)?;
    if mail.unseen > 0 || mail.to_accept > 0 {
        lines.push(format!("Messages for you: {} unread, {} to accept (inbox list).", mail.unseen, mail.to_accept));
    }
    let unfinished = tasks::unfinished_of(tx, &room.id, you)?;
    if let Some(first) = unfinished.first() {
        let others = if unfinished.len() > 1 { format!(" and {} more", unfinished.len() - 1) } else { String::new() };
        lines.push(format!("Your unfinished tasks: {} \"{}\"{others}.", first.id, line(&first.title, SAID_CHARS)));
    }
    let reserved = scopes::in_force(tx, &room.id)?;
    let own: Vec<String> = reserved
        .iter()
        .filter(|scope| scope.lease.holder == *you && scope.is_live(now))
        .map(|scope| line(&scope.scope, 60))
        .collect();
    if !own.is_empty() {
        lines.push(format!("Your scopes: {}.", line(&own.join(", "), SAID_CHARS)));
    }
    if let Some(goal) = table::find::<Stated>(tx, &room.id, &())?.and_then(|stated| stated.brief.goal) {
        lines.push(format!("Goal of the room: \"{}\"", line(&goal, SAID_CHARS)));
    }
    let pending = room.pending().or_else(|| room.ownership().and_then(|held| held.received.as_ref()));
    if let Some(pending) = pending
        && let Some(recorded) = log::find(tx, &room.id, pending.seq)?
    {
        lines.extend(handoff(tx, room, &pending.from, &recorded)?);
    }
    Ok(lines)
}

/// The handoff that came with the turn in force, if somebody else than the caller gave it.
pub(super) fn handoff_of_another(change: &mut Change<'_>, recorded: &Recorded) -> Result<Option<String>, Failure> {
    let received = change.room.ownership().and_then(|held| held.received.as_ref());
    let Some(from) = received.map(|received| &received.from).filter(|from| **from != change.actor.agent_id) else {
        return Ok(None);
    };
    handoff(change.store.tx()?, &change.room, from, recorded)
}

fn handoff(tx: &mut dyn Tx, room: &Room, from: &AgentId, recorded: &Recorded) -> Result<Option<String>, Failure> {
    let Some(handoff) = recorded.event.handoff() else { return Ok(None) };
    let next = line(&handoff.next_action, SAID_CHARS);
    Ok(Some(format!("Last handoff, by {}: \"{next}\"", reason::known_name(tx, room, from)?)))
}
