//! Work of others that a session's model has not heard of.
//!
//! A model may have read a file before another agent had the stick, or had reserved the file. Its next edit would undo that work,
//! although by then it may edit. So it is stopped, told, and may try again with what it reads then. Each call of one message is
//! stopped, because the model that sent them had not heard of the first refusal: only a second attempt shows that it has.
//! A sub-agent is told by itself, because its model reads other things.

use baton_core::{
    event::{Event, Recorded},
    ids::{AgentId, Seq},
    lease::{Fence, Standing},
    process::{ProcessIdentity, Witness},
    room::{self, Room},
    scope::{self, ScopePath, Scopes},
    time::{Timestamp, Ttl},
};
use baton_store::{
    agent_sessions::{self, AgentSession, MissedWorkStop},
    engine::Tx,
    log::{self, Order},
};
use sha2::{Digest as _, Sha256};

use super::{guard::ToolUse, line::line, reason};
use crate::{Caller, Failure, scoping, unit::Change};

/// The events that begin or end work on the room's files.
const WORK_EVENTS: [&str; 7] =
    ["stick.claim", "stick.release", "stick.pass", "stick.takeover", "scope.reserve", "scope.release", "scope.expire"];

/// Events that are searched for work. There is no index by type, and a session that long behind was told at its last prompt.
const SEARCHED_EVENTS: u64 = 10_000;

/// Work that is looked through. Newer work of somebody else, if there is that much, is enough to stop an edit.
const WORK_MAX: u32 = 200;

/// A second attempt that comes sooner is of the same message: a model takes longer to answer.
const ANSWER_TIME: Ttl = Ttl::from_millis(1_000);

/// Refusals that a session remembers. Sub-agents come and go; the oldest is forgotten first.
const STOPS_MAX: usize = 32;

/// Files and commands that one refusal remembers. Beyond it a second attempt is refused once more.
const SUBJECTS_MAX: usize = 256;

/// Longest name of reserved paths in a refusal.
const SCOPE_CHARS: usize = 120;

/// The work of another agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// It had the stick.
    Turn,
    /// It had reserved these paths.
    Scope(String),
}

/// Work that a model was not told of.
pub(super) struct Missed {
    by: AgentId,
    work: Work,
    /// False for a reservation that may still be in force, which tells of itself by its refusals.
    is_over: bool,
    /// Its newest event. None for a holder that is gone: its turn ended without one.
    seq: Option<Seq>,
}

/// A call that would change files of the room.
pub(super) struct WritingCall<'a> {
    /// The agent of the session.
    pub(super) main: &'a Caller,
    /// The agent that calls: that one, or a sub-agent of it.
    caller: &'a Caller,
    subjects: Vec<Subject>,
}

/// A file, or a command whose files cannot be told.
struct Subject {
    /// Equal for every attempt.
    digest: String,
    path: Option<ScopePath>,
}

/// The point up to which a model knows the room.
struct ModelKnowledge<'a> {
    /// The newest event. Where nothing was told, only work counts that came after the agent's process began.
    seq: Option<Seq>,
    process: Option<&'a ProcessIdentity>,
    /// The agent, and the sub-agent of it that calls.
    own: [&'a AgentId; 2],
    /// The guard took the stick for the agent, which told it nothing.
    is_taken: bool,
}

enum Outcome {
    Passes,
    /// A second attempt: the model has read the refusal, and everything passes from now on.
    PassesAsTold,
    Stopped(Missed),
}

impl<'a> WritingCall<'a> {
    /// A call that changes `paths` of the room, or something that cannot be told.
    pub(super) fn new(
        (main, caller): (&'a Caller, &'a Caller),
        (root, scopes): (&ScopePath, &Scopes),
        paths: &[ScopePath],
        (tool, now): (&ToolUse, Timestamp),
    ) -> Self {
        let own = [main.actor().agent_id, caller.actor().agent_id];
        let live = scopes.iter().filter(|scope| scope.is_live(now));
        let own: Vec<ScopePath> =
            live.filter(|scope| own.contains(&scope.lease.holder)).map(|scope| scope.path(root)).collect();
        // Reserving a file looks at it, as claiming the stick does.
        let others = paths.iter().filter(|path| !own.iter().any(|own| own.contains(path)));
        let subjects = match paths {
            [] => vec![Subject { digest: digest(&format!("{tool:?}")), path: None }],
            _ => others.map(|path| Subject { digest: digest(&path.absolute()), path: Some(path.clone()) }).collect(),
        };
        Self { main, caller, subjects }
    }

    /// The work of another agent that the calling model was not told of.
    pub(super) fn has_missed(
        &self,
        tx: &mut dyn Tx,
        room: &Room,
        session: Option<&AgentSession>,
        (now, witness): (Timestamp, &dyn Witness),
    ) -> Result<bool, Failure> {
        Ok(!matches!(self.outcome(tx, room, session, (now, witness))?, Outcome::Passes))
    }

    fn outcome(
        &self,
        tx: &mut dyn Tx,
        room: &Room,
        session: Option<&AgentSession>,
        (now, witness): (Timestamp, &dyn Witness),
    ) -> Result<Outcome, Failure> {
        let (you, caller) = (self.main.actor(), self.caller.actor());
        let known = ModelKnowledge {
            seq: session.map(|session| session.told),
            process: you.process.as_ref(),
            own: [&you.agent_id, &caller.agent_id],
            is_taken: session.is_some_and(|session| session.taken_turn == Some(room.turn)),
        };
        let Some(missed) = self.missed(tx, room, session, &known, (now, witness))? else { return Ok(Outcome::Passes) };
        let stop = session.and_then(|session| session.stops.iter().find(|stop| stop.agent_id == caller.agent_id));
        let Some(stop) = stop.filter(|stop| missed.is_told_by(stop, room)) else {
            return Ok(Outcome::Stopped(missed));
        };
        let is_second =
            |subject: &Subject| stop.subjects.get(&subject.digest).is_some_and(|at| now.since(*at) >= ANSWER_TIME);
        Ok(match (stop.is_heard, self.subjects.iter().any(is_second)) {
            (true, _) => Outcome::Passes,
            (false, true) => Outcome::PassesAsTold,
            (false, false) => Outcome::Stopped(missed),
        })
    }

    fn missed(
        &self,
        tx: &mut dyn Tx,
        room: &Room,
        session: Option<&AgentSession>,
        known: &ModelKnowledge<'_>,
        (now, witness): (Timestamp, &dyn Witness),
    ) -> Result<Option<Missed>, Failure> {
        if self.subjects.is_empty() {
            return Ok(None);
        }
        let root = scoping::root(room)?;
        let news = work_since(tx, room, known)?;
        let found = news.into_iter().find(|missed| {
            let is_touched = |subject: &Subject| match &missed.work {
                Work::Turn => true,
                Work::Scope(scope) => subject.path.as_ref().is_some_and(|path| {
                    ScopePath::scope(scope, &root).is_ok_and(|scope| scope.contains(path) || path.contains(&scope))
                }),
            };
            self.subjects.iter().any(is_touched)
        });
        Ok(found.or_else(|| abandoned_turn((room, now, witness), known.own, session?)))
    }
}

impl Missed {
    /// Whether a refusal told of this.
    fn is_told_by(&self, stop: &MissedWorkStop, room: &Room) -> bool {
        self.seq.map_or_else(|| stop.turn == room.turn, |seq| seq <= stop.seq)
    }

    /// The work in words that go on with "after" or "meanwhile".
    pub(super) fn told(&self, tx: &mut dyn Tx, room: &Room) -> Result<String, Failure> {
        let by = reason::known_name(tx, room, &self.by)?;
        Ok(match &self.work {
            Work::Turn => format!("{by} had the stick"),
            Work::Scope(scope) => format!("{by} had reserved {}", line(scope, SCOPE_CHARS)),
        })
    }
}

/// The work of others that came after all that was told, newest first. A turn that the agent claimed itself ends the search:
/// claiming it told of the work before.
fn work_since(tx: &mut dyn Tx, room: &Room, known: &ModelKnowledge<'_>) -> Result<Vec<Missed>, Failure> {
    let seq = known.seq.filter(|seq| *seq > Seq::default());
    let after = seq.unwrap_or_default().0.max(room.last_seq.0.saturating_sub(SEARCHED_EVENTS));
    if after >= room.last_seq.0 {
        return Ok(Vec::new());
    }
    let stretch = (Seq(after), Seq(room.last_seq.0.saturating_add(1)));
    let newest = log::of_types(tx, &room.id, &WORK_EVENTS, stretch, (Order::NewestFirst, WORK_MAX))?;
    let is_news =
        |event: &Recorded| seq.is_some() || known.process.is_some_and(|own| event.at >= own.process_started_at);
    let mut found = Vec::new();
    for event in newest.into_iter().take_while(is_news) {
        let is_over = !matches!(event.event, Event::Scope(scope::Event::Reserved(_)));
        let missed = |by: &AgentId, work| Missed { by: by.clone(), work, is_over, seq: Some(event.seq) };
        let missed = match &event.event {
            Event::Scope(event) => scope_of(event).map(|(owner, scope)| missed(owner, Work::Scope(scope.to_owned()))),
            _ if !known.own.contains(&&event.actor) => Some(missed(&event.actor, Work::Turn)),
            _ if known.is_taken && began(&event) == Some(room.turn) => None,
            _ => break,
        };
        found.extend(missed.filter(|missed| !known.own.contains(&&missed.by)));
    }
    Ok(found)
}

/// The turn that an event began.
fn began(event: &Recorded) -> Option<Fence> {
    match event.event.room()? {
        room::Event::Claimed(claimed) => Some(claimed.grant.turn_id),
        room::Event::TakenOver(taken) => Some(taken.grant.turn_id),
        _ => None,
    }
}

/// The owner and the paths of a reservation that began or ended.
fn scope_of(event: &scope::Event) -> Option<(&AgentId, &str)> {
    match event {
        scope::Event::Reserved(it) => Some((&it.owner, &it.scope)),
        scope::Event::Released(it) => Some((&it.owner, &it.scope)),
        scope::Event::Expired(it) => Some((&it.owner, &it.scope)),
        _ => None,
    }
}

/// The holder of a turn that nobody ended: it worked until it was gone, so a session that began before that was not told of all
/// it did.
fn abandoned_turn(
    (room, now, witness): (&Room, Timestamp, &dyn Witness),
    own: [&AgentId; 2],
    session: &AgentSession,
) -> Option<Missed> {
    let held = room.ownership()?;
    let holder = &held.lease.holder;
    let is_missed = !own.contains(&holder)
        && session.abandoned_turn != Some(room.turn)
        && held.standing(now, witness) != Standing::Held;
    is_missed.then(|| Missed { by: holder.clone(), work: Work::Turn, is_over: true, seq: None })
}

fn digest(text: &str) -> String {
    Sha256::digest(text).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

impl Change<'_> {
    /// The newest work of another agent that the caller's session was not told of, with what follows from it for its model.
    pub(super) fn missed_work(&mut self, session: Option<&AgentSession>) -> Result<Option<String>, Failure> {
        let known = ModelKnowledge {
            seq: session.map(|session| session.told),
            process: self.actor.process.as_ref(),
            own: [&self.actor.agent_id; 2],
            is_taken: session.is_some_and(|session| session.taken_turn == Some(self.room.turn)),
        };
        let news = work_since(self.store.tx()?, &self.room, &known)?;
        let Some(missed) = news.into_iter().find(|missed| missed.is_over) else { return Ok(None) };
        let work = missed.told(self.store.tx()?, &self.room)?;
        Ok(Some(format!("{work} meanwhile: read files again before you change them.")))
    }

    /// Stops a call whose model missed the work of somebody else: the answer says whose.
    pub(super) fn stop_after_missed_work(&mut self, call: &WritingCall<'_>) -> Result<Option<String>, Failure> {
        let you = call.main.actor().agent_id;
        let known = agent_sessions::find(self.store.tx()?, &self.room.id, &you)?;
        let outcome = call.outcome(self.store.tx()?, &self.room, known.as_ref(), (self.now, self.witness))?;
        if matches!(outcome, Outcome::Passes) {
            return Ok(None);
        }
        if self.room.member(&you).is_none() {
            self.join(None, None)?;
        }
        // A session without a row was told nothing, and is when it is prompted.
        let mut session = known.unwrap_or_else(|| AgentSession::new(you, Seq::default()));
        let agent_id = call.caller.actor().agent_id;
        let earlier = session.stops.iter().position(|stop| stop.agent_id == agent_id);
        let earlier = earlier.map(|place| session.stops.remove(place));
        let (seq, turn) = (self.room.last_seq, self.room.turn);
        let new = || MissedWorkStop { agent_id, seq, turn, subjects: Default::default(), is_heard: false };
        let told = match outcome {
            Outcome::Stopped(missed) => {
                let mut stop = earlier.filter(|stop| missed.is_told_by(stop, &self.room)).unwrap_or_else(new);
                let room_left = SUBJECTS_MAX.saturating_sub(stop.subjects.len());
                for subject in call.subjects.iter().take(room_left) {
                    stop.subjects.entry(subject.digest.clone()).or_insert(self.now);
                }
                session.stops.push(stop);
                Some(missed.told(self.store.tx()?, &self.room)?)
            }
            Outcome::Passes | Outcome::PassesAsTold => {
                session.stops.extend(earlier.map(|stop| MissedWorkStop { is_heard: true, ..stop }));
                None
            }
        };
        let forgotten = session.stops.len().saturating_sub(STOPS_MAX);
        session.stops.drain(..forgotten);
        self.save_session(&session)?;
        Ok(told)
    }
}
