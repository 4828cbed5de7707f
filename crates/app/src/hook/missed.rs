//! Turns of others that a session's model has not heard of.
//!
//! An agent that is alone is not stopped, but it may have read a file before or during the turn of somebody who is gone by now. Its
//! next edit would undo that turn. So it is stopped once and told; its second attempt passes.

use baton_core::{
    event::Recorded,
    ids::{AgentId, Seq},
    process::ProcessIdentity,
    room::Room,
};
use baton_store::{
    agent_sessions::{self, AgentSession},
    engine::Tx,
    former,
    log::{self, Order},
};

use super::reason;
use crate::{Failure, change::Change};

/// The events that begin or end a turn.
const TURN_EVENTS: [&str; 4] = ["stick.claim", "stick.release", "stick.pass", "stick.takeover"];

/// Events that are searched for a turn. There is no index by type, and a session that long behind was told at its last prompt.
const SEARCHED_EVENTS: u64 = 10_000;

/// Who had the newest turn, if that was somebody else and began or ended after all that `you` were told. A turn of one's own ends
/// the search: claiming it told of those before.
///
/// Without a session nobody was told anything; then only turns count that came after the agent's process began.
pub(super) fn missed_turn(
    tx: &mut dyn Tx,
    room: &Room,
    (you, process): (&AgentId, Option<&ProcessIdentity>),
    session: Option<&AgentSession>,
) -> Result<Option<AgentId>, Failure> {
    let told = session.map(|session| session.told).filter(|told| *told > Seq::default());
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
pub(super) fn abandoned_turn(room: &Room, you: &AgentId, session: Option<&AgentSession>) -> Option<AgentId> {
    let holder = &room.ownership()?.lease.holder;
    (holder != you && session?.abandoned_turn != Some(room.turn)).then(|| holder.clone())
}

impl Change<'_> {
    /// Tells the caller, which is alone, whose turn it missed, and everything else that is new: it counts as told from now on.
    pub(super) fn tell_missed_turn(&mut self) -> Result<Option<String>, Failure> {
        let (you, process) = (self.actor.agent_id.clone(), self.actor.process.clone());
        let known = agent_sessions::find(self.tx, &self.room.id, &you)?;
        let missed = missed_turn(self.tx, &self.room, (&you, process.as_ref()), known.as_ref())?;
        let Some(by) = missed.or_else(|| abandoned_turn(&self.room, &you, known.as_ref())) else { return Ok(None) };
        // The session counts as told of its messages, too.
        let mail = match &known {
            Some(known) => self.mail_since(known.told)?,
            None => None,
        };
        if self.room.member(&you).is_none() {
            self.join(None, None)?;
        }
        let mut session = self.session()?;
        session.goes_on(self.room.last_seq);
        session.abandoned_turn = Some(self.room.turn);
        self.save_session(&session)?;
        let left = match self.room.member(&by) {
            Some(_) => None,
            None => former::last(self.tx, &self.room.id, &by)?.map(|former| former.name),
        };
        let by = reason::called(&self.room, &by, left.as_deref());
        let mail = mail.map_or_else(String::new, |mail| format!(". Also, {mail}"));
        Ok(Some(format!(
            "{by} had the stick after you last looked at this room, so files may have changed since you read them{mail}"
        )))
    }
}
