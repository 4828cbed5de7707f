//! Turns of others that a session's model has not heard of.
//!
//! An agent that is alone is not stopped, but it may have read a file before or during the turn of somebody who is gone by now. Its
//! next edit would undo that turn. So its model is stopped and told; the next attempt passes. Several calls of one message are
//! all stopped, because the model that sent them had not heard of the first refusal; and a sub-agent is told by itself, because
//! its model reads other things.

use baton_core::{
    event::Recorded,
    ids::{AgentId, Seq},
    process::ProcessIdentity,
    room::Room,
    time::{Timestamp, Ttl},
};
use baton_store::{
    agent_sessions::{self, AgentSession, MissedTurnStop},
    engine::Tx,
    former,
    log::{self, Order},
};
use sha2::{Digest as _, Sha256};

use super::{guard::ToolUse, reason};
use crate::{Caller, Failure, change::Change};

/// The events that begin or end a turn.
const TURN_EVENTS: [&str; 4] = ["stick.claim", "stick.release", "stick.pass", "stick.takeover"];

/// Events that are searched for a turn. There is no index by type, and a session that long behind was told at its last prompt.
const SEARCHED_EVENTS: u64 = 10_000;

/// Calls that come so soon after a refusal belong to the same message: a model takes longer to answer.
const ONE_MESSAGE: Ttl = Ttl::from_millis(2_000);

/// Refusals that a session remembers. Sub-agents come and go; the oldest is forgotten first.
const STOPS_MAX: usize = 32;

/// A call that would change files of the room.
pub(super) struct WritingCall<'a> {
    /// The agent of the session.
    pub(super) main: &'a Caller,
    /// The agent that calls: that one, or a sub-agent of it.
    pub(super) caller: &'a Caller,
    /// Digest of the files: equal for every attempt to change them.
    pub(super) digest: String,
}

impl<'a> WritingCall<'a> {
    /// A call that changes `paths` of the room, or something that cannot be told.
    pub(super) fn new(main: &'a Caller, caller: &'a Caller, paths: &[String], tool: &ToolUse) -> Self {
        let subject = if paths.is_empty() { format!("{tool:?}") } else { paths.join("\n") };
        let digest = Sha256::digest(subject).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Self { main, caller, digest }
    }

    /// The other agent whose turn the calling model was not told of.
    pub(super) fn missed(
        &self,
        tx: &mut dyn Tx,
        room: &Room,
        session: Option<&AgentSession>,
        now: Timestamp,
    ) -> Result<Option<AgentId>, Failure> {
        let (you, caller) = (self.main.actor(), self.caller.actor());
        if room.owner() == Some(&you.agent_id) {
            return Ok(None);
        }
        let stop = session.and_then(|session| session.stops.iter().find(|stop| stop.agent_id == caller.agent_id));
        if let Some(stop) = stop
            && now.since(stop.at) < ONE_MESSAGE
            && !stop.calls.contains(&self.digest)
        {
            return Ok(Some(stop.by.clone()));
        }
        let told = session.map(|session| session.told).max(stop.map(|stop| stop.seq));
        let missed = missed_turn(tx, room, (&you.agent_id, you.process.as_ref()), told)?;
        Ok(missed.or_else(|| session.and_then(|session| abandoned_turn(room, &you.agent_id, session, stop))))
    }
}

/// The agent that had the newest turn, if that was not `you` and it began or ended after `told`. A turn of one's own ends the
/// search: claiming it told of those before.
///
/// Where nobody was told anything, only turns count that came after the agent's process began.
pub(super) fn missed_turn(
    tx: &mut dyn Tx,
    room: &Room,
    (you, process): (&AgentId, Option<&ProcessIdentity>),
    told: Option<Seq>,
) -> Result<Option<AgentId>, Failure> {
    let told = told.filter(|told| *told > Seq::default());
    let after = told.unwrap_or_default().0.max(room.last_seq.0.saturating_sub(SEARCHED_EVENTS));
    if after >= room.last_seq.0 {
        return Ok(None);
    }
    let stretch = (Seq(after), Seq(room.last_seq.0.saturating_add(1)));
    let newest = log::of_types(tx, &room.id, &TURN_EVENTS, stretch, (Order::NewestFirst, 1))?.into_iter().next();
    let is_news =
        |turn: &Recorded| told.is_some() || process.is_some_and(|process| turn.at >= process.process_started_at);
    Ok(newest.filter(|turn| turn.actor != *you && is_news(turn)).map(|turn| turn.actor))
}

/// The holder of a turn that nobody ended, seen by an agent that is alone: it worked until it was gone, so a session that began
/// before that was not told of all it did.
fn abandoned_turn(
    room: &Room,
    you: &AgentId,
    session: &AgentSession,
    stop: Option<&MissedTurnStop>,
) -> Option<AgentId> {
    let holder = &room.ownership()?.lease.holder;
    let is_known = [session.abandoned_turn, stop.map(|stop| stop.turn)].contains(&Some(room.turn));
    (holder != you && !is_known).then(|| holder.clone())
}

impl Change<'_> {
    /// Stops a call of an agent that is alone, if it missed a turn: the answer names whose.
    pub(super) fn stop_after_missed_turn(&mut self, call: &WritingCall<'_>) -> Result<Option<String>, Failure> {
        let you = call.main.actor().agent_id;
        let known = agent_sessions::find(self.tx, &self.room.id, &you)?;
        let Some(by) = call.missed(self.tx, &self.room, known.as_ref(), self.now)? else { return Ok(None) };
        if self.room.member(&you).is_none() {
            self.join(None, None)?;
        }
        // A session without a row was told nothing, and is when it is prompted.
        let mut session = known.unwrap_or_else(|| AgentSession::new(you, Seq::default()));
        let agent_id = call.caller.actor().agent_id;
        let earlier = session.stops.iter().position(|stop| stop.agent_id == agent_id);
        let earlier = earlier.map(|place| session.stops.remove(place));
        let of_one_message = earlier.filter(|stop| self.now.since(stop.at) < ONE_MESSAGE);
        let (at, mut calls) = of_one_message.map_or_else(|| (self.now, Vec::new()), |stop| (stop.at, stop.calls));
        calls.push(call.digest.clone());
        let (seq, turn) = (self.room.last_seq, self.room.turn);
        session.stops.push(MissedTurnStop { agent_id, seq, turn, by: by.clone(), at, calls });
        let forgotten = session.stops.len().saturating_sub(STOPS_MAX);
        session.stops.drain(..forgotten);
        self.save_session(&session)?;
        let left = match self.room.member(&by) {
            Some(_) => None,
            None => former::last(self.tx, &self.room.id, &by)?.map(|former| former.name),
        };
        Ok(Some(reason::called(&self.room, &by, left.as_deref())))
    }
}
