//! Waking: something that an idle session has to know, told once.
//!
//! A wake is edge-triggered: the session's row has the newest event that it was told of and the newest that it was woken for, and
//! only what is newer than both wakes it. A holder is not woken because it holds, and nobody more often than the bound.

use std::{cmp, time::Duration};

use baton_core::{
    event::{Event, Recorded},
    ids::{AgentId, RoomId, Seq},
    job::{self, Job},
    limits,
    policy::Wake,
    process::Witness as _,
    room::Room,
    time::Timestamp,
};
use baton_store::{
    agent_sessions::{self, AgentSession},
    engine::Tx,
    inbox, log, table,
};

use super::{
    line::{line, unread},
    request,
    session::{SessionEnding, left_behind},
    welcome,
};
use crate::{
    App, Caller, Failure,
    unit::Change,
    watch::{Looked, Patience},
};

/// Longest title of a job in a wake.
const TITLE_CHARS: usize = 120;
/// One listener waits this long; the session's program starts the next with its next turn.
const LISTENS: Duration = Duration::from_secs(24 * 60 * 60);

/// A conversation that changed, and a room that was opened elsewhere, ring no bell.
const LOOKS_AGAIN: Duration = Duration::from_secs(10);

/// Said by the handoff of a turn that the guard took for an agent.
const TAKEN_STATUS: &str =
    "This turn was taken for an edit by an agent that was alone here; it left no handoff of its own.";
const TAKEN_NEXT: &str = "Go on with your own work; look at the working tree (git status, git diff) first.";

/// The state of a session at the end of its turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// It is idle.
    Idle,
    /// Something came up meanwhile: it goes on with this.
    GoesOn(String),
}

impl App {
    /// The end of a session's turn: a stick that was taken for it is given back, and it is idle unless something waits.
    pub fn stop(&self, caller: &Caller) -> Result<Option<Stopped>, Failure> {
        let Some(room) = self.room_around(caller, &caller.cwd)? else { return Ok(None) };
        let (sight, known) = self.sight_of_session(caller, &room)?;
        if known.is_none() || sight.room.member(&caller.actor().agent_id).is_none() {
            return Ok(None);
        }
        let handoff = left_behind(TAKEN_STATUS, TAKEN_NEXT);
        let is_taken = known.is_some_and(|known| known.taken_turn == Some(sight.room.turn));
        let tree = if is_taken { self.look_if_held(caller, &room, &handoff)? } else { None };
        let stopped = self.change(caller, &request("hook.stop"), &room, |change| {
            let mut session = change.session()?;
            if session.taken_turn.take().is_some_and(|turn| turn == change.room.turn) {
                change.hand_on(&handoff, tree.as_ref())?;
            }
            let text = change.wake(&mut session)?;
            session.idle_since = text.is_none().then_some(change.now);
            change.save_session(&session)?;
            Ok(text)
        })?;
        Ok(Some(stopped.map_or(Stopped::Idle, Stopped::GoesOn)))
    }

    /// Waits until the caller's idle session is to be woken, and tells why. Nothing if it goes on by itself, ends, or another
    /// listener took over.
    pub fn await_wake(&self, caller: &Caller) -> Result<Option<String>, Failure> {
        let Some(room) = self.room_around(caller, &caller.cwd)? else { return Ok(None) };
        let Some(idle_since) = self.sight_of_session(caller, &room)?.1.and_then(|session| session.idle_since) else {
            return Ok(None);
        };
        let process = caller.actor().process;
        let found = self.wait_for_ends(caller, &room, Patience::for_long(LISTENS), |_| {
            let (sight, session) = self.sight_of_session(caller, &room)?;
            let is_idle = session.as_ref().is_some_and(|session| session.idle_since == Some(idle_since));
            let is_gone = process.as_ref().is_some_and(|process| self.probe.liveness(process).is_gone());
            if !is_idle || is_gone || sight.room.stick == baton_core::room::Stick::Closed {
                return Ok(Looked::Found(None));
            }
            let screens = session.map(|session| session.screens).unwrap_or_default();
            // The server that runs it outlives the screen that a person closed.
            if !screens.is_empty() && screens.iter().all(|screen| self.probe.liveness(screen).is_gone()) {
                self.end_session(caller, SessionEnding::Exit)?;
                return Ok(Looked::Found(None));
            }
            if let Some(text) = self.take_wake(caller, &room)? {
                return Ok(Looked::Found(Some(text)));
            }
            let watched = process.iter().chain(&screens);
            Ok(Looked::NotYet(watched.filter_map(|process| self.probe.watch(process)).collect()))
        })?;
        Ok(found.flatten())
    }

    /// Wakes a session for as long as its program runs: `caller` says whose it is now, `waits` whether its program waits for a
    /// prompt, and `wake` brings it the text. Ends when the program does, or cannot be reached any more.
    pub fn keep_waking(
        &self,
        caller: impl Fn() -> Caller,
        waits: impl Fn() -> bool,
        mut wake: impl FnMut(&str) -> bool,
    ) -> Result<(), Failure> {
        loop {
            let caller = caller();
            self.settle(&caller)?;
            if caller.actor().process.is_some_and(|process| self.probe.liveness(&process).is_gone()) {
                return Ok(());
            }
            let room = self.room_around(&caller, &caller.cwd)?;
            // The bell is up before the look, so what is committed after the look will ring it.
            let mut watch = match &room {
                Some(room) => self.watch(&caller, room)?,
                // A room may be opened around it.
                None => self.watch_everywhere(&caller)?,
            };
            // A store that cannot be read now is looked at again, like a room in which nothing is to be told.
            let text = room.and_then(|room| {
                if waits() {
                    self.note_idle(&caller, &room).ok()?;
                }
                self.take_wake(&caller, &room).ok().flatten()
            });
            if text.is_some_and(|text| !wake(&text)) {
                return Ok(());
            }
            watch.wait(LOOKS_AGAIN, &caller.cancel)?;
        }
    }

    /// Notes that a session is idle though no hook told of the end of a turn: there was none yet, or a person interrupted it.
    fn note_idle(&self, caller: &Caller, room: &RoomId) -> Result<(), Failure> {
        if self.sight_of_session(caller, room)?.1.is_none_or(|session| session.idle_since.is_some()) {
            return Ok(());
        }
        self.change(caller, &request("hook.idle"), room, |change| {
            let mut session = change.session()?;
            session.idle_since.get_or_insert(change.now);
            change.save_session(&session)
        })
    }

    /// The text with which the caller's idle session is to be woken now, noted as told.
    pub fn take_wake(&self, caller: &Caller, room: &RoomId) -> Result<Option<String>, Failure> {
        let you = caller.actor().agent_id;
        let is_due = self.store.read::<_, Failure>(|tx| {
            let Some(session) = agent_sessions::find(tx, room, &you)?.filter(|session| session.idle_since.is_some())
            else {
                return Ok(false);
            };
            let (room, now) = (self.room(tx, room)?, tx.now()?);
            Ok(reason(tx, &room, &session, now)?.is_some())
        })?;
        // Mostly nothing is to be told, and then nothing is written.
        if !is_due {
            return Ok(None);
        }
        self.change(caller, &request("hook.wake"), room, |change| {
            let mut session = change.session()?;
            if session.idle_since.is_none() {
                return Ok(None);
            }
            let text = change.wake(&mut session)?;
            change.save_session(&session)?;
            Ok(text)
        })
    }
}

impl Change<'_> {
    /// The reason to wake a session, which counts as told from now on.
    pub(super) fn wake(&mut self, session: &mut AgentSession) -> Result<Option<String>, Failure> {
        let Some(text) = reason(self.store.tx()?, &self.room, session, self.now)? else { return Ok(None) };
        let hour = limits::WAKE_HOUR;
        if session.wakes_from.is_none_or(|from| self.now.since(from) >= hour) {
            (session.wakes_from, session.wakes) = (Some(self.now), 0);
        }
        session.wakes += 1;
        (session.woken, session.woken_at) = (self.room.last_seq, Some(self.now));
        Ok(Some(text))
    }
}

/// The reason to wake a session, if there is one that it does not know.
pub(super) fn reason(
    tx: &mut dyn Tx,
    room: &Room,
    session: &AgentSession,
    now: Timestamp,
) -> Result<Option<String>, Failure> {
    let is_spent = session.wakes >= limits::WAKES_PER_HOUR
        && session.wakes_from.is_some_and(|from| now.since(from) < limits::WAKE_HOUR);
    let mode = room.member(&session.agent_id).map_or(Wake::Off, |member| room.wake_of(member));
    if mode == Wake::Off || is_spent {
        return Ok(None);
    }
    let you = &session.agent_id;
    let known = cmp::max(session.told, session.woken);
    let mut lines = Vec::new();
    let mail = inbox::waiting(tx, &room.id, you)?;
    if mail.calls.is_some_and(|message| message > known) {
        let unread = unread(mail.unseen);
        lines.push(format!("Baton: you have {unread}. Read with inbox list (baton inbox)."));
    }
    if mode == Wake::All {
        let kept = room.reservation().filter(|kept| kept.recipient == *you && kept.pending.seq > known);
        lines.extend(kept.map(|kept| format!("Baton: {}", welcome::kept_for_you(kept, now))));
        lines.extend(jobs_in_need(tx, room, you, known)?);
    }
    Ok((!lines.is_empty()).then(|| lines.join("\n")))
}

/// The agent's own jobs that ask something or ended after an event, newest first.
fn jobs_in_need(tx: &mut dyn Tx, room: &Room, you: &AgentId, known: Seq) -> Result<Option<String>, Failure> {
    if known >= room.last_seq {
        return Ok(None);
    }
    let newer = log::after(tx, &room.id, known, limits::EVENTS_MAX)?;
    let asks = |recorded: &Recorded| match &recorded.event {
        Event::Job(job::Event::Question(said) | job::Event::ProofGate(said) | job::Event::Error(said)) => {
            Some((said.job, "needs you"))
        }
        Event::Job(job::Event::Completed(ended)) => Some((ended.job, "is done")),
        Event::Job(job::Event::Failed(ended)) => Some((ended.job, "failed")),
        _ => None,
    };
    for (id, state) in newer.iter().rev().filter_map(asks) {
        if let Some(found) = table::find::<Job>(tx, &room.id, &id)?
            && found.created_by == *you
        {
            let title = line(&found.title, TITLE_CHARS);
            return Ok(Some(format!("Baton: {id} \"{title}\" {state}. Open it with open {id} (baton open {id}).")));
        }
    }
    Ok(None)
}
