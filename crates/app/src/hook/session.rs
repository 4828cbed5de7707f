//! The life of a session: it begins, is told what is new, and ends.

use std::path::Path;

use baton_core::{
    handoff::Handoff,
    ids::{RoomId, Seq},
    lease::{Fence, Standing},
    process::ProcessIdentity,
    room::{Actor, Shown},
    tree::Record,
};
use baton_store::{
    agent_sessions::{self, AgentSession, SessionOrigin},
    inbox, rooms,
};

use super::{
    line::{unread, within_context},
    request, welcome,
};
use crate::{App, Caller, Failure, app::Sight, commands::room::depart, identity::Employment, unit::Change};

/// Said by the handoff of a session that ended while it held the stick.
const ENDED_STATUS: &str = "The session of this agent ended while it held the stick. It left no handoff of its own.";
const ENDED_NEXT: &str =
    "Look at the working tree (git status, git diff) before you go on: its work may be unfinished.";

/// Said to a conversation whose model may have read files long ago.
const RESUMED: &str =
    "Files may have changed since this conversation read them: read them again before you change them.";

/// A conversation that its program can resume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResumableConversation<'a> {
    /// The program.
    pub harness: &'a str,
    /// The program's own id of the conversation.
    pub id: &'a str,
    /// The user's home directory, in which programs keep conversations.
    pub home: &'a Path,
}

/// The conversations that end because another one begins at their screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Displaced {
    /// Those that wait for a prompt: a screen shows one conversation, and a person turned to another.
    Idle,
    /// All of them: a person cleared the screen.
    All,
}

/// The way in which a session begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// Its model knows nothing yet, or goes on in the process that it was in.
    Usual,
    /// A program goes on with the conversation of one that ended.
    Resumed,
    /// Its history was summarised: a session that was idle still is.
    Compacted,
}

/// The way in which a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEnding {
    /// Its program ended, or lost its terminal.
    Exit,
    /// A person turned to another conversation in the same process: this one is over by their wish.
    Replaced,
}

impl App {
    /// Makes the agent of a session a member of the room around it, and tells it where it is. Outside of a room nothing.
    pub fn begin_session(
        &self,
        caller: &Caller,
        beginning: Beginning,
        conversation: Option<ResumableConversation<'_>>,
    ) -> Result<Option<String>, Failure> {
        let Some(room) = self.room_around(caller, &caller.cwd)? else { return Ok(None) };
        let origin = conversation.and_then(|conversation| origin(caller, conversation));
        let text = self.change(caller, &request("hook.session_start"), &room, |change| {
            change.join(None, None)?;
            let known = agent_sessions::find(change.store.tx()?, &room, &caller.actor().agent_id)?;
            let missed = match (beginning, change.missed_work(known.as_ref())?) {
                (Beginning::Resumed, None) => Some(RESUMED.to_owned()),
                (_, missed) => missed,
            };
            let mut session = change.session()?;
            let idle_since = session.idle_since.filter(|_| beginning == Beginning::Compacted);
            session.goes_on(change.room.last_seq);
            session.idle_since = idle_since;
            if known.is_none() {
                session.abandoned_turn = change.abandoned_turn();
            }
            session.origin = origin.clone().or(session.origin);
            change.save_session(&session)?;
            welcome::text(change, missed)
        })?;
        caller.has_joined(&room);
        Ok(Some(text))
    }

    /// Ends the conversations that were at the caller's screen before it. `screens` are those of a program that serves several;
    /// any other has one, which is its process. Where a server has several screens here, it is not known which one the caller is
    /// at, and nobody is ended.
    pub fn end_displaced(
        &self,
        caller: &Caller,
        screens: Option<&[ProcessIdentity]>,
        displaced: Displaced,
    ) -> Result<(), Failure> {
        let Some(room) = self.room_around(caller, &caller.cwd)? else { return Ok(()) };
        let you = caller.actor();
        let Some(process) = &you.process else { return Ok(()) };
        let (members, sessions) = self
            .store
            .read::<_, Failure>(|tx| Ok((self.room(tx, &room)?.members, agent_sessions::of_room(tx, &room)?)))?;
        let is_displaced = |session: &AgentSession| {
            let is_at_screen = screens.is_none_or(|screens| screens.len() == 1 && are_same(&session.screens, screens));
            session.agent_id != you.agent_id
                && is_at_screen
                && (displaced == Displaced::All || session.idle_since.is_some())
        };
        for session in sessions.iter().filter(|session| is_displaced(session)) {
            let other = members.iter().find(|member| member.agent_id == session.agent_id);
            let Some(other) = other.filter(|other| other.process.as_ref().is_some_and(|it| it.same_process(process)))
            else {
                continue;
            };
            let actor = Actor::found(other.agent_id.clone(), other.process.clone(), other.session_kind);
            self.end_session(&Caller::new(actor, caller.cwd.clone()), SessionEnding::Replaced)?;
        }
        Ok(())
    }

    /// Notes the screens at which the caller's session may be: those that were known and are still there, else all that were
    /// found.
    pub fn note_screens(&self, caller: &Caller, found: &[ProcessIdentity]) -> Result<(), Failure> {
        let Some(room) = self.room_around(caller, &caller.cwd)? else { return Ok(()) };
        let Some(session) = self.sight_of_session(caller, &room)?.1 else { return Ok(()) };
        let kept: Vec<ProcessIdentity> =
            session.screens.iter().filter(|known| found.iter().any(|it| it.same_process(known))).cloned().collect();
        let screens = if kept.is_empty() { found.to_vec() } else { kept };
        if screens.is_empty() || are_same(&screens, &session.screens) {
            return Ok(());
        }
        self.change(caller, &request("hook.screens"), &room, |change| {
            let mut session = change.session()?;
            session.screens.clone_from(&screens);
            change.save_session(&session)
        })
    }

    /// Notes that nothing of what a session was told at its start reached its model: the first prompt tells it again.
    pub fn put_off_welcome(&self, caller: &Caller) -> Result<(), Failure> {
        let Some(room) = self.room_around(caller, &caller.cwd)? else { return Ok(()) };
        self.change(caller, &request("hook.session_start"), &room, |change| {
            let mut session = change.session()?;
            session.told = Seq::default();
            change.save_session(&session)
        })
    }

    /// Tells a session what it was not told yet: messages, and that the stick moved. A prompt also ends its idleness.
    pub fn news(
        &self,
        caller: &Caller,
        conversation: Option<ResumableConversation<'_>>,
    ) -> Result<Option<String>, Failure> {
        let Some(room) = self.room_around(caller, &caller.cwd)? else { return Ok(None) };
        let you = caller.actor().agent_id;
        let (sight, known) = self.sight_of_session(caller, &room)?;
        let is_there = sight.room.member(&you).is_some_and(|member| member.rest.is_none());
        let is_welcomed = |known: &AgentSession| known.told > Seq::default();
        let Some(known) = known.filter(|known| is_there && is_welcomed(known)) else {
            return self.begin_session(caller, Beginning::Usual, conversation);
        };
        if known.told == sight.room.last_seq && known.idle_since.is_none() {
            return Ok(None);
        }
        self.change(caller, &request("hook.prompt"), &room, |change| {
            let mut session = change.session()?;
            let text = change.news_of(&session)?;
            session.goes_on(change.room.last_seq);
            change.save_session(&session)?;
            Ok(text)
        })
    }

    /// Notes that a session is at work: a call of a tool shows it. Answers with the session as it was before.
    pub(super) fn is_at_work(&self, caller: &Caller, room: &RoomId) -> Result<Option<AgentSession>, Failure> {
        let (sight, known) = self.sight_of_session(caller, room)?;
        let member = sight.room.member(&caller.actor().agent_id);
        let rests = member.is_some_and(|member| member.rest.is_some());
        if known.as_ref().is_some_and(|known| rests || known.idle_since.is_some()) {
            self.change(caller, &request("hook.tool"), room, |change| {
                if rests {
                    change.join(None, None)?;
                }
                let mut session = change.session()?;
                session.idle_since = None;
                change.save_session(&session)
            })?;
        }
        Ok(known)
    }

    /// Ends a session: what it holds is handed on, what it reserved is released, and it is no member any more, or rests if it
    /// may be resumed.
    pub fn end_session(&self, caller: &Caller, ending: SessionEnding) -> Result<(), Failure> {
        let you = caller.actor().agent_id;
        let memberships = self.store.read(|tx| rooms::of_agent(tx, &you))?;
        for (room, _) in memberships {
            let handoff = left_behind(ENDED_STATUS, ENDED_NEXT);
            let tree = self.look_if_held(caller, &room, &handoff)?;
            self.change(caller, &request("hook.session_end"), &room, |change| {
                if change.room.member(&you).is_none() {
                    return Ok(agent_sessions::remove(change.store.tx()?, &change.room.id, &you)?);
                }
                change.hand_on(&handoff, tree.as_ref())?;
                if ending == SessionEnding::Exit && change.rest()? {
                    let mut session = change.session()?;
                    // Its listeners end: what comes from now on is a runner's to tell it.
                    session.idle_since = None;
                    return change.save_session(&session);
                }
                agent_sessions::remove(change.store.tx()?, &change.room.id, &you)?;
                depart(change, &you)
            })?;
        }
        Ok(())
    }

    /// Ends the sub-agents of a session that has its process for itself: all other agents of the process.
    pub fn end_subagents(&self, caller: &Caller) -> Result<(), Failure> {
        let you = caller.actor();
        let Some(process) = &you.process else { return Ok(()) };
        let members = self.store.read(|tx| rooms::of_process(tx, process))?;
        for (_, member) in members {
            if member.agent_id != you.agent_id
                && !member.overridden
                && member.added_by.is_none()
                && member.rest.is_none()
            {
                let actor = Actor::found(member.agent_id, member.process, member.session_kind);
                self.end_session(&Caller::new(actor, caller.cwd.clone()), SessionEnding::Replaced)?;
            }
        }
        Ok(())
    }

    /// The workspace's files, if the caller holds the stick and hands it on.
    pub(super) fn look_if_held(
        &self,
        caller: &Caller,
        room: &RoomId,
        handoff: &Handoff,
    ) -> Result<Option<Record>, Failure> {
        let holds = self.see(room)?.room.owner() == Some(&caller.actor().agent_id);
        if holds { self.look_before_handover(caller, room, handoff) } else { Ok(None) }
    }

    pub(super) fn sight_of_session(
        &self,
        caller: &Caller,
        room: &RoomId,
    ) -> Result<(Sight<'_>, Option<AgentSession>), Failure> {
        let you = caller.actor().agent_id;
        let sight = self.see(room)?;
        let session = self.store.read(|tx| agent_sessions::find(tx, room, &you))?;
        Ok((sight, session))
    }
}

impl Change<'_> {
    /// The caller's session, or a new one that was told of everything.
    pub(super) fn session(&mut self) -> Result<AgentSession, Failure> {
        let you = &self.actor.agent_id;
        let found = agent_sessions::find(self.store.tx()?, &self.room.id, you)?;
        Ok(found.unwrap_or_else(|| AgentSession::new(you.clone(), self.room.last_seq)))
    }

    /// The turn of a holder that is gone, which a session that begins now cannot have worked beside.
    fn abandoned_turn(&self) -> Option<Fence> {
        let held = self.room.ownership()?;
        (held.standing(self.now, self.witness) != Standing::Held).then_some(self.room.turn)
    }

    pub(super) fn save_session(&mut self, session: &AgentSession) -> Result<(), Failure> {
        Ok(agent_sessions::save(self.store.tx()?, &self.room.id, session)?)
    }

    /// Releases the stick for a holder that cannot write a handoff itself.
    pub(super) fn hand_on(&mut self, handoff: &Handoff, tree: Option<&Record>) -> Result<(), Failure> {
        let held = self.room.ownership().filter(|held| held.belongs_to(self.actor));
        let Some(lease_id) = held.map(|held| held.lease_id.clone()) else { return Ok(()) };
        let shown = Shown { turn: self.room.turn, lease_id };
        self.decide(|room, call| room.release(call, &shown, handoff, tree))?;
        Ok(())
    }

    /// The news for the model of a session, if there is any.
    pub(super) fn news_of(&mut self, session: &AgentSession) -> Result<Option<String>, Failure> {
        let you = self.actor.agent_id.clone();
        let mut lines = Vec::new();
        let mail = inbox::waiting(self.store.tx()?, &self.room.id, &you)?;
        if mail.calls.is_some_and(|message| message > session.told) {
            lines.push(format!("Baton: you have {} (inbox list).", unread(mail.unseen)));
        }
        if let Some(work) = self.missed_work(Some(session))? {
            lines.push(format!("Baton: {work} {}", welcome::stick(&self.room, &you, self.now, self.witness)));
        }
        Ok((!lines.is_empty()).then(|| within_context(&lines)))
    }
}

/// All that resuming a conversation of the caller needs, where its machine is known. A job's agent is resumed with its job.
fn origin(caller: &Caller, conversation: ResumableConversation<'_>) -> Option<SessionOrigin> {
    if *caller.employment() != Employment::None {
        return None;
    }
    let (directory, home) = (caller.cwd.to_str()?, conversation.home.to_str()?);
    Some(SessionOrigin {
        harness: conversation.harness.to_owned(),
        conversation: conversation.id.to_owned(),
        directory: directory.to_owned(),
        home: home.to_owned(),
        host_id: caller.actor().process?.host_id,
    })
}

/// Whether two lists name the same processes. The same start comes out some milliseconds apart when it is worked out twice.
fn are_same(one: &[ProcessIdentity], other: &[ProcessIdentity]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.same_process(other))
}

/// A handoff that nobody wrote.
pub(super) fn left_behind(status: &str, next_action: &str) -> Handoff {
    Handoff {
        status: status.to_owned(),
        next_action: next_action.to_owned(),
        artifacts: Vec::new(),
        open_questions: Vec::new(),
        do_not: Vec::new(),
        context_ref: None,
    }
}
