//! A room that is being changed, inside its transaction.
//!
//! A use case asks for what it decides on, records what was decided, and is done. Every event is logged and applied to the
//! room and to all rows that it touches, whether the use case looked at them or not; what became different is stored at
//! the end. `baton doctor` applies the whole log in the same way.

use std::mem;

use baton_core::{
    agent::Former,
    code::ErrorCode,
    event::{Decided, Event, Recorded, Unstorable},
    ids::{AgentId, AgentName, BeadId, Role, Seq},
    inbox::Item,
    limits,
    process::Witness,
    redact::redact,
    room::{self, Actor, Authority, Call, NewIdentity, Refusal, Room, Stick},
    scope::{Reservation, Scopes},
    task::{Focus, Task, TaskId},
    time::Timestamp,
};
use baton_store::{
    StoreError, bus,
    engine::Tx,
    former,
    inbox::Waiting,
    log,
    rooms::{self, Arrival},
    tasks,
};

use crate::{Failure, app::internal, bus::BUS, identity::advised, testimony, unit::RoomStore};

/// What a request came to, when its "no" may change something too.
pub(crate) enum Outcome<O> {
    /// It was carried out.
    Done(O),
    /// It was refused, and that is on record.
    Refused(Failure),
}

impl<O> From<Outcome<O>> for Result<O, Failure> {
    fn from(outcome: Outcome<O>) -> Self {
        match outcome {
            Outcome::Done(output) => Ok(output),
            Outcome::Refused(failure) => Err(failure),
        }
    }
}

/// An event as it enters the log, and its payload: every text that anybody gives to a room passes here, and secrets do not.
pub(crate) fn storable(actor: &Actor, event: Event) -> Result<(Event, String), Failure> {
    if redact(actor.agent_id.as_str()) != actor.agent_id.as_str() {
        return Err(secret_in("agent_id"));
    }
    event.without_secrets().map_err(|error| match error {
        Unstorable::Secret(found) => secret_in(&found.field),
        Unstorable::Payload { .. } => internal(error),
    })
}

fn secret_in(field: &str) -> Failure {
    let message = format!("{field}: looks like a secret, and nothing can stand in its place.");
    Failure::new(ErrorCode::InvalidInput, message)
        .with("field", field)
        .advising("Choose another one: whatever is stored is read by everybody in the room.")
}

/// A room that is being changed.
pub(crate) struct Change<'a> {
    /// Its rows.
    pub(crate) store: RoomStore<'a>,
    pub(crate) room: Room,
    /// The handoff that waits there, or that the current turn began with, where it was asked for.
    pub(crate) handoff: Option<Recorded>,
    /// What waits in the caller's inbox, where it was asked for.
    pub(crate) waiting: Waiting,
    pub(crate) now: Timestamp,
    pub(crate) actor: &'a Actor,
    pub(crate) witness: &'a dyn Witness,
}

impl<'a> Change<'a> {
    pub(crate) fn new(
        tx: &'a mut dyn Tx,
        arrival: Arrival,
        now: Timestamp,
        actor: &'a Actor,
        witness: &'a dyn Witness,
    ) -> Self {
        let Arrival { room, handoff, waiting } = arrival;
        Self { store: RoomStore::new(tx, room.id.clone()), room, handoff, waiting, now, actor, witness }
    }

    /// The grounds on which the room decides.
    pub(crate) fn call(&self) -> Call<'a> {
        Call { now: self.now, by: self.actor, witness: self.witness }
    }

    /// Decides by a rule of the room, as a member where the caller's process was only taken off the list, and records what
    /// follows.
    pub(crate) fn decide<D: Decided>(
        &mut self,
        rule: impl FnOnce(&Room, Call<'_>) -> Result<D, Refusal>,
    ) -> Result<D::Logged, Failure> {
        self.readmit()?;
        let decided = rule(&self.room, self.call())?;
        self.record(decided)
    }

    /// Makes the caller a member, under the name it asks for or one that nobody has or had.
    pub(crate) fn join(&mut self, name: Option<AgentName>, role: Option<Role>) -> Result<Option<Recorded>, Failure> {
        let newcomer = self.room.member(&self.actor.agent_id).is_none();
        let former = if newcomer { self.former()? } else { Vec::new() };
        let joined = self.room.join(self.call(), &NewIdentity { name, role, former });
        joined
            .map_err(Failure::from)
            .and_then(|event| self.record(event))
            .map_err(|failure| advised(failure, self.actor))
    }

    /// Does something in the name of the bus: what follows from a death is nobody's word, whoever happens to notice it.
    pub(crate) fn as_bus<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, Failure>) -> Result<T, Failure> {
        let caller = mem::replace(&mut self.actor, &BUS);
        let done = work(self);
        self.actor = caller;
        done
    }

    /// Logs what was decided, without secrets, and applies it to the room and to all that it touches.
    pub(crate) fn record<D: Decided>(&mut self, decided: D) -> Result<D::Logged, Failure> {
        decided.log(&mut |event| self.record_one(event))
    }

    fn record_one(&mut self, event: Event) -> Result<Recorded, Failure> {
        let (event, payload) = storable(self.actor, event)?;
        let recorded = self.room.record(self.now, self.actor.agent_id.clone(), event);
        let recorded = Recorded { overridden: self.actor.is_overridden(), ..recorded };
        log::append_written(self.store.plain_tx(), &recorded, &payload)?;
        self.store.apply(&recorded, &self.room)?;
        self.room.apply(&recorded);
        // Whoever appears, or comes back as another process, is in the boot that its machine is in.
        let process = match recorded.event.room() {
            Some(room::Event::Joined(joined)) => joined.process.as_ref(),
            Some(room::Event::Resumed(resumed)) => resumed.process.as_ref(),
            _ => return Ok(recorded),
        };
        testimony::arrive(self.store.plain_tx(), process, self.now)?;
        Ok(recorded)
    }

    /// What is reserved in the room. What ran out is archived first.
    pub(crate) fn scopes(&mut self) -> Result<&Scopes, Failure> {
        let lapsed = self.store.current::<Reservation>()?.sweep(self.now);
        self.record(lapsed)?;
        Ok(self.store.current()?)
    }

    /// The event with the handoff that came with the turn in force.
    pub(crate) fn received_handoff(&mut self) -> Result<Option<Recorded>, Failure> {
        let received = self.room.ownership().and_then(|ownership| ownership.received.as_ref());
        let Some(seq) = received.map(|received| received.seq) else { return Ok(None) };
        Ok(log::find(self.store.tx()?, &self.room.id, seq)?)
    }

    /// The task that the caller has turned to: the one it said, else the one it is at.
    pub(crate) fn focus(&mut self) -> Result<Option<TaskId>, Failure> {
        let agent = &self.actor.agent_id;
        if let Some(focus) = self.store.find::<Focus>(agent)? {
            return Ok(Some(focus.task));
        }
        let own = tasks::in_progress_of(self.store.tx()?, &self.room.id, agent)?;
        Ok(own.first().map(|task| task.id))
    }

    /// Ends all that `target` still owes a result for, because it will not come. Tells whether there was something.
    pub(crate) fn end_actions_of(&mut self, target: &AgentId, why: &str) -> Result<bool, Failure> {
        let mut any = false;
        loop {
            let found = bus::open_of(self.store.tx()?, &self.room.id, target, Seq::default(), limits::ACTIONS_MAX)?;
            let ends: Vec<_> = found.iter().filter_map(|action| action.fail(why)).collect();
            if ends.is_empty() {
                return Ok(any);
            }
            any = true;
            for event in ends {
                self.record_result(target, event)?;
            }
        }
    }

    /// Records the end of an action that its target did not report: its own word if it is the one who calls, else that of
    /// the bus, and never that of somebody else.
    pub(crate) fn record_result<D: Decided>(&mut self, target: &AgentId, event: D) -> Result<D::Logged, Failure> {
        if self.actor.agent_id == *target {
            return self.record(event);
        }
        self.as_bus(|change| change.record(event))
    }

    /// Whether anything can happen in the room.
    pub(crate) fn is_open(&self) -> bool {
        self.room.stick != Stick::Closed
    }

    /// Refuses everybody once the room is closed.
    pub(crate) fn require_open(&self) -> Result<(), Failure> {
        if self.is_open() { Ok(()) } else { Err(Refusal::Closed.into()) }
    }

    /// Refuses whoever is no agent of the room, and everybody once it is closed.
    pub(crate) fn require_agent(&mut self) -> Result<(), Failure> {
        self.require_open()?;
        self.require_known()
    }

    /// Like [`require_agent`](Self::require_agent), but for a person who steers and the agent of a job: they need not have
    /// joined.
    pub(crate) fn require_authority(&mut self, authority: Authority) -> Result<(), Failure> {
        match authority {
            Authority::Member => self.require_agent(),
            Authority::JobAgent | Authority::Operator => self.require_open(),
        }
    }

    /// Refuses whoever is no agent of the room.
    pub(crate) fn require_known(&mut self) -> Result<(), Failure> {
        self.readmit()?;
        let agent = &self.actor.agent_id;
        match self.room.member(agent) {
            Some(_) => Ok(()),
            None => {
                let message = format!("{agent} is not an agent of this room.");
                Err(Failure::new(ErrorCode::AgentNotFound, message).with("agent_id", agent.as_str()))
            }
        }
    }

    /// What an event is about: the task or bead that the caller names, else the task it is at. A task must exist; beads
    /// are another program's to know.
    pub(crate) fn bead(&mut self, named: Option<&BeadId>) -> Result<Option<BeadId>, Failure> {
        let Some(named) = named else {
            let own = tasks::in_progress_of(self.store.tx()?, &self.room.id, &self.actor.agent_id)?;
            return Ok(own.first().map(|task| task.id.bead_id()));
        };
        match named.as_str().parse::<TaskId>() {
            Ok(id) if self.store.find::<Task>(&id)?.is_none() => Err(Failure::unknown_task(named.as_str())),
            Ok(id) => Ok(Some(id.bead_id())),
            Err(_) => Ok(Some(named.clone())),
        }
    }

    /// Whether some item at hand interrupts an agent who has not seen it.
    pub(crate) fn interrupts(&self, agent: &AgentId) -> bool {
        let unseen = |item: &Item| item.interrupts && item.seen_at.is_none() && item.recipient == *agent;
        self.store.at_hand().iter().any(unseen)
    }

    /// The agent that a name or an id means.
    pub(crate) fn named(&self, named: &str) -> Result<AgentId, Failure> {
        let member = self.room.named(named).ok_or_else(|| Failure::unknown_agent(named))?;
        Ok(member.agent_id.clone())
    }

    /// Names that are not in use, and not free either, the oldest first.
    pub(crate) fn former(&mut self) -> Result<Vec<Former>, Failure> {
        Ok(former::all(self.store.tx()?, &self.room.id)?)
    }

    /// Stores what became different since `before`. The caller was seen.
    pub(crate) fn save(mut self, before: &Room) -> Result<(), StoreError> {
        self.room.touch(&self.actor.agent_id, self.now);
        rooms::save(self.store.plain_tx(), before, &self.room)?;
        self.store.save()
    }
}
