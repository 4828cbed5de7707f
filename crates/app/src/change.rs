//! A room that is being changed, inside its transaction.
//!
//! A use case asks for the parts it decides on (scopes, tasks, items of inboxes), records what was decided, and is done:
//! every event is logged, folded into the room and into the parts that were asked for, and what became different is
//! stored at the end. The fold is the one that `baton doctor` makes of the whole log.

use std::mem;

use baton_core::{
    agent::{Former, Given},
    bus::{Action as BusAction, Bus, BusId, Connection},
    code::ErrorCode,
    context::Context,
    envelope::Envelopes,
    event::{Event, Recorded},
    ids::{AgentId, AgentName, BeadId, Role, Seq},
    inbox::{Inbox, Item},
    job::{Job, JobId, Jobs, Progress},
    library::{Artifact, Card, CardId, Library},
    limits,
    process::Witness,
    redact::redact,
    room::{self, Action, Actor, Authority, Command, NewIdentity, Refusal, Room, Stick},
    runner::{Heartbeat, Runner, Runners},
    scope::Scopes,
    spawn::Spawns,
    task::{Task, TaskId, Tasks},
    time::{Timestamp, Ttl},
    turn::Turns,
};
use baton_store::{
    StoreError, bus,
    engine::Tx,
    former,
    inbox::{self, Waiting},
    jobs, library, log,
    rooms::{self, Arrival},
    runners, scopes, tasks,
};

use crate::{Failure, bus::BUS, identity::advised, testimony};

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

/// An event as it enters the log: every text that anybody gives to a room passes here, and secrets do not.
pub(crate) fn storable(actor: &Actor, event: Event) -> Result<Event, Failure> {
    if redact(actor.agent_id.as_str()) != actor.agent_id.as_str() {
        return Err(secret_in("agent_id"));
    }
    event.without_secrets().map_err(|found| secret_in(&found.field))
}

fn secret_in(field: &str) -> Failure {
    let message = format!("{field}: looks like a secret, and nothing can stand in its place.");
    Failure::new(ErrorCode::InvalidInput, message)
        .with("field", field)
        .advising("Choose another one: whatever is stored is read by everybody in the room.")
}

/// A room that is being changed.
pub(crate) struct Change<'a> {
    pub(crate) tx: &'a mut dyn Tx,
    pub(crate) room: Room,
    /// The handoff that waits there, or that the current turn began with, where it was asked for.
    pub(crate) handoff: Option<Recorded>,
    /// What waits in the caller's inbox, where it was asked for.
    pub(crate) waiting: Waiting,
    pub(crate) now: Timestamp,
    pub(crate) actor: &'a Actor,
    pub(crate) witness: &'a dyn Witness,
    scopes: Option<Part<Scopes>>,
    tasks: Part<Tasks>,
    inbox: Part<Inbox>,
    jobs: Part<Jobs>,
    runners: Part<Runners>,
    library: Part<Library>,
    bus: Part<Bus>,
    pub(crate) context: Part<Context>,
    pub(crate) envelopes: Part<Envelopes>,
    pub(crate) turns: Part<Turns>,
    pub(crate) spawns: Part<Spawns>,
    /// Whether the edges were loaded.
    pub(crate) has_edges: bool,
    /// Whether the connections were loaded.
    has_connections: bool,
}

/// A part of a room as it was loaded, and as it is now.
#[derive(Clone, Default)]
pub(crate) struct Part<T> {
    pub(crate) before: T,
    pub(crate) after: T,
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
        Self {
            tx,
            room,
            handoff,
            waiting,
            now,
            actor,
            witness,
            scopes: None,
            tasks: Part::default(),
            inbox: Part::default(),
            jobs: Part::default(),
            runners: Part::default(),
            library: Part::default(),
            bus: Part::default(),
            context: Part::default(),
            envelopes: Part::default(),
            turns: Part::default(),
            spawns: Part::default(),
            has_edges: false,
            has_connections: false,
        }
    }

    /// Decides `action`, and when it is allowed logs and applies what follows from it.
    pub(crate) fn decide(&mut self, action: Action) -> Result<Option<Recorded>, Failure> {
        if !matches!(action, Action::Join { .. } | Action::Adopt { .. }) {
            self.readmit()?;
        }
        let command = Command { by: self.actor.clone(), action };
        match self.room.decide(self.now, &command, self.witness)? {
            Some(event) => self.record(event).map(Some),
            None => Ok(None),
        }
    }

    /// Makes the caller a member, under the name it asks for or one that nobody has or had.
    pub(crate) fn join(&mut self, name: Option<AgentName>, role: Option<Role>) -> Result<Option<Recorded>, Failure> {
        let newcomer = self.room.member(&self.actor.agent_id).is_none();
        let former = if newcomer { self.former()? } else { Vec::new() };
        let joined = self.decide(Action::Join { identity: NewIdentity { name, role, former } });
        joined.map_err(|failure| advised(failure, self.actor))
    }

    /// Does something in the name of the bus: what follows from a death is nobody's word, whoever happens to notice it.
    pub(crate) fn as_bus<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, Failure>) -> Result<T, Failure> {
        let caller = mem::replace(&mut self.actor, &BUS);
        let done = work(self);
        self.actor = caller;
        done
    }

    /// Logs what was decided, without secrets, and folds it into all that is at hand.
    pub(crate) fn record(&mut self, event: impl Into<Event>) -> Result<Recorded, Failure> {
        let event = storable(self.actor, event.into())?;
        let recorded = self.room.record(self.now, self.actor.agent_id.clone(), event);
        let recorded = Recorded { overridden: self.actor.is_overridden(), ..recorded };
        log::append(self.tx, &recorded)?;
        if let Some(event) = recorded.event.room() {
            self.arrange_names(event)?;
            if matches!(event, room::Event::Left(_) | room::Event::Resumed(_) | room::Event::Closed(_)) {
                // Streams of members who leave are forgotten, and all of them with the room, so they must be at hand.
                self.connections()?;
            }
        }
        self.room.apply(&recorded);
        if let Some(scopes) = &mut self.scopes {
            scopes.after.apply(&recorded);
        }
        self.tasks.after.apply(&recorded);
        self.inbox.after.apply(&recorded);
        self.jobs.after.apply(&recorded);
        self.runners.after.apply(&recorded);
        self.library.after.apply(&recorded);
        self.bus.after.apply(&recorded);
        self.context.after.apply(&recorded);
        self.envelopes.after.apply(&recorded);
        self.turns.after.apply(&recorded);
        self.spawns.after.apply(&recorded);
        Ok(recorded)
    }

    /// Keeps the names that are not in use, and hears whoever appears.
    fn arrange_names(&mut self, event: &room::Event) -> Result<(), Failure> {
        let given = Given::by(&self.room, event, self.now);
        if given != Given::default() {
            former::save(self.tx, &self.room.id, &given)?;
        }
        let process = match event {
            room::Event::Joined(joined) => joined.process.as_ref(),
            room::Event::Resumed(resumed) => resumed.process.as_ref(),
            _ => return Ok(()),
        };
        // Whoever appears, or comes back as another process, is in the boot that its machine is in.
        testimony::arrive(self.tx, process, self.now)?;
        Ok(())
    }

    /// Records several events, in order.
    pub(crate) fn record_all<E: Into<Event>>(&mut self, events: Vec<E>) -> Result<Vec<Recorded>, Failure> {
        events.into_iter().map(|event| self.record(event)).collect()
    }

    /// What is reserved in the room. What ran out is archived first.
    pub(crate) fn scopes(&mut self) -> Result<&Scopes, Failure> {
        if self.scopes.is_none() {
            let loaded = scopes::in_force(self.tx, &self.room.id)?;
            let lapsed = loaded.sweep(self.now);
            self.scopes = Some(Part { before: loaded.clone(), after: loaded });
            self.record_all(lapsed)?;
        }
        Ok(&self.scopes.get_or_insert_default().after)
    }

    /// The event with the handoff that came with the turn in force.
    pub(crate) fn received_handoff(&mut self) -> Result<Option<Recorded>, Failure> {
        let received = self.room.ownership().and_then(|ownership| ownership.received.as_ref());
        let Some(seq) = received.map(|received| received.seq) else { return Ok(None) };
        Ok(log::find(self.tx, &self.room.id, seq)?)
    }

    /// A task of the room.
    pub(crate) fn task(&mut self, id: TaskId) -> Result<Option<Task>, Failure> {
        if let Some(task) = self.tasks.after.find(id) {
            return Ok(Some(task.clone()));
        }
        let found = tasks::find(self.tx, &self.room.id, id)?;
        self.take_up(found.clone());
        Ok(found)
    }

    /// What is assigned to `agent` and not done.
    pub(crate) fn unfinished_tasks(&mut self, agent: &AgentId) -> Result<Vec<Task>, Failure> {
        let found = tasks::unfinished_of(self.tx, &self.room.id, agent)?;
        self.take_up(found.clone());
        Ok(found)
    }

    fn take_up(&mut self, found: impl IntoIterator<Item = Task>) {
        let found: Vec<Task> = found.into_iter().collect();
        for part in [&mut self.tasks.before.tasks, &mut self.tasks.after.tasks] {
            part.extend(found.iter().cloned());
            part.sort_by_key(|task| task.id);
        }
    }

    /// A job of the room.
    pub(crate) fn job(&mut self, id: JobId) -> Result<Option<Job>, Failure> {
        if let Some(job) = self.jobs.after.find(id) {
            return Ok(Some(job.clone()));
        }
        let found = jobs::find(self.tx, &self.room.id, id)?;
        self.take_jobs(found.clone());
        Ok(found)
    }

    /// The last job that was created here and is not stored yet.
    pub(crate) fn last_job(&self) -> Option<JobId> {
        let last = self.jobs.after.jobs.last()?.id;
        self.jobs.before.find(last).is_none().then_some(last)
    }

    /// Stores what became of jobs so far, so that the store's answers count it.
    pub(crate) fn store_jobs(&mut self) -> Result<(), StoreError> {
        jobs::save(self.tx, &self.room.id, &self.jobs.before, &self.jobs.after)?;
        self.jobs.before = self.jobs.after.clone();
        Ok(())
    }

    /// Takes up jobs that were found in this transaction, so that what happens to them is stored.
    pub(crate) fn take_jobs(&mut self, found: impl IntoIterator<Item = Job>) {
        for job in found {
            if self.jobs.after.find(job.id).is_some() {
                continue;
            }
            for part in [&mut self.jobs.before.jobs, &mut self.jobs.after.jobs] {
                let place = part.partition_point(|known| known.id < job.id);
                part.insert(place, job.clone());
            }
        }
    }

    /// Moves the end of a job's claim. This is no event.
    pub(crate) fn renew_job(&mut self, id: JobId, ttl: Ttl) {
        if let Some(job) = self.jobs.after.find_mut(id) {
            job.renew(self.now, ttl);
        }
    }

    /// Notes how far a job is, without an event.
    pub(crate) fn hear_job(&mut self, id: JobId, progress: Progress) {
        if let Some(job) = self.jobs.after.find_mut(id) {
            job.hear(self.now, progress);
        }
    }

    /// A runner of the room.
    pub(crate) fn runner(&mut self, id: &AgentId) -> Result<Option<Runner>, Failure> {
        if let Some(runner) = self.runners.after.find(id) {
            return Ok(Some(runner.clone()));
        }
        let found = runners::find(self.tx, &self.room.id, id)?;
        for part in [&mut self.runners.before.runners, &mut self.runners.after.runners] {
            part.extend(found.clone());
            part.sort_by(|one, other| one.id.cmp(&other.id));
        }
        Ok(found)
    }

    /// Notes that a runner is there. This is no event.
    pub(crate) fn hear_runner(&mut self, heartbeat: &Heartbeat) {
        let now = self.now;
        let heard = self.runners.after.runners.iter_mut().filter(|runner| runner.id == heartbeat.runner);
        heard.for_each(|runner| runner.hear(now, heartbeat));
    }

    /// A card of the room.
    pub(crate) fn card(&mut self, id: CardId) -> Result<Option<Card>, Failure> {
        if let Some(card) = self.library.after.card(id) {
            return Ok(Some(card.clone()));
        }
        let found = library::find_card(self.tx, &self.room.id, id)?;
        for part in [&mut self.library.before.cards, &mut self.library.after.cards] {
            part.extend(found.clone());
            part.sort_by_key(|card| card.id);
        }
        Ok(found)
    }

    /// Takes up a file that was found in this transaction, so that giving it up is stored.
    pub(crate) fn take_artifact(&mut self, artifact: &Artifact) {
        for part in [&mut self.library.before.artifacts, &mut self.library.after.artifacts] {
            let place = part.partition_point(|known| known.id < artifact.id);
            part.insert(place, artifact.clone());
        }
    }

    /// The task that the caller has turned to: the one it said, else the one it is at.
    pub(crate) fn focus(&mut self) -> Result<Option<TaskId>, Failure> {
        let agent = &self.actor.agent_id;
        if let Some(focus) = tasks::focus_of(self.tx, &self.room.id, agent)? {
            return Ok(Some(focus.task));
        }
        let own = tasks::in_progress_of(self.tx, &self.room.id, agent)?;
        Ok(own.first().map(|task| task.id))
    }

    /// Takes up what the caller has turned to, so that turning away from it is stored.
    pub(crate) fn take_focus(&mut self) -> Result<(), Failure> {
        let found = tasks::focus_of(self.tx, &self.room.id, &self.actor.agent_id)?;
        for part in [&mut self.tasks.before.focus, &mut self.tasks.after.focus] {
            part.retain(|known| Some(&known.agent) != found.as_ref().map(|focus| &focus.agent));
            part.extend(found.clone());
        }
        Ok(())
    }

    /// The items of one message.
    pub(crate) fn items_of(&mut self, message: Seq) -> Result<Vec<Item>, Failure> {
        let found = inbox::of_message(self.tx, &self.room.id, message)?;
        Ok(self.take_items(found))
    }

    /// Takes up items that were found in this transaction, so that what happens to them is stored. What is answered is how
    /// they are by now.
    pub(crate) fn take_items(&mut self, found: Vec<Item>) -> Vec<Item> {
        let known = |items: &[Item], item: &Item| {
            let start = items.partition_point(|known| known.message < item.message);
            let same = items[start..].iter().take_while(|known| known.message == item.message);
            same.into_iter().any(|known| known.recipient == item.recipient)
        };
        let new: Vec<Item> = found.iter().filter(|item| !known(&self.inbox.before.items, item)).cloned().collect();
        for part in [&mut self.inbox.before.items, &mut self.inbox.after.items] {
            part.extend(new.iter().cloned());
            part.sort_by_key(|item| item.message);
        }
        let now = |item: Item| self.item(item.message, &item.recipient).cloned();
        found.into_iter().filter_map(now).collect()
    }

    /// Somebody's item of a message, if it was taken up.
    pub(crate) fn item(&self, message: Seq, recipient: &AgentId) -> Option<&Item> {
        let items = &self.inbox.after.items;
        let start = items.partition_point(|item| item.message < message);
        let same = items[start..].iter().take_while(|item| item.message == message);
        same.into_iter().find(|item| item.recipient == *recipient)
    }

    /// Stores what became of items so far, so that the store's answers count it.
    pub(crate) fn store_items(&mut self) -> Result<(), StoreError> {
        inbox::save(self.tx, &self.room.id, &self.inbox.before, &self.inbox.after)?;
        self.inbox.before = self.inbox.after.clone();
        Ok(())
    }

    /// The action of that name, if it is not new.
    pub(crate) fn action(&mut self, id: &BusId) -> Result<Option<BusAction>, Failure> {
        if let Some(known) = self.bus.after.actions.iter().find(|action| action.action_id == *id) {
            return Ok(Some(known.clone()));
        }
        let found = bus::action_by_id(self.tx, &self.room.id, id)?;
        self.take_actions(found.clone());
        Ok(found)
    }

    /// Takes up actions that were found in this transaction with their items, so that what happens to them is stored.
    pub(crate) fn take_actions(&mut self, found: impl IntoIterator<Item = BusAction>) {
        for action in found {
            let place = self.bus.after.actions.partition_point(|known| known.seq < action.seq);
            if self.bus.after.actions.get(place).is_some_and(|known| known.seq == action.seq) {
                continue;
            }
            for part in [&mut self.bus.before.actions, &mut self.bus.after.actions] {
                let place = part.partition_point(|known| known.seq < action.seq);
                part.insert(place, action.clone());
            }
        }
    }

    /// Ends all that `target` still owes a result for, because it will not come. Tells whether there was something.
    pub(crate) fn end_actions_of(&mut self, target: &AgentId, why: &str) -> Result<bool, Failure> {
        // Ended ones are not found again only once they are stored, so a page is not asked for twice.
        let (mut after, mut ended) = (Seq::default(), false);
        loop {
            let found = bus::open_of(self.tx, &self.room.id, target, after, limits::ACTIONS_MAX)?;
            let Some(last) = found.last() else { return Ok(ended) };
            after = last.seq;
            for action in found {
                // What this transaction did to it already counts.
                let Some(action) = self.action(&action.action_id)?.filter(|action| action.target == *target) else {
                    continue;
                };
                self.items_of_action(action.seq)?;
                if let Some(event) = action.fail(why) {
                    self.record_result(target, event)?;
                    ended = true;
                }
            }
        }
    }

    /// Records the end of an action that its target did not report: its own word if it is the one who calls, else that of
    /// the bus, and never that of somebody else.
    pub(crate) fn record_result(&mut self, target: &AgentId, event: impl Into<Event>) -> Result<Recorded, Failure> {
        if self.actor.agent_id == *target {
            return self.record(event);
        }
        self.as_bus(|change| change.record(event))
    }

    /// Takes up all that `target` still owes a result for.
    pub(crate) fn take_open_actions(&mut self, target: &AgentId) -> Result<(), Failure> {
        let mut after = Seq::default();
        loop {
            let found = bus::open_of(self.tx, &self.room.id, target, after, limits::ACTIONS_MAX)?;
            let Some(last) = found.last() else { return Ok(()) };
            after = last.seq;
            self.take_actions(found);
        }
    }

    /// Takes up the items of an action, so that its result moves them.
    pub(crate) fn items_of_action(&mut self, action: Seq) -> Result<(), Failure> {
        if self.inbox.after.items.iter().all(|item| item.message != action) {
            self.items_of(action)?;
        }
        Ok(())
    }

    /// Who is connected. Taken up, so that what happens to connections is stored.
    pub(crate) fn connections(&mut self) -> Result<Vec<Connection>, Failure> {
        if !self.has_connections {
            let found = bus::connections(self.tx, &self.room.id)?;
            self.bus.before.connections.clone_from(&found);
            self.bus.after.connections = found;
            self.has_connections = true;
        }
        Ok(self.bus.after.connections.clone())
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
            let own = tasks::in_progress_of(self.tx, &self.room.id, &self.actor.agent_id)?;
            return Ok(own.first().map(|task| task.id.bead_id()));
        };
        match named.as_str().parse::<TaskId>() {
            Ok(id) if self.task(id)?.is_none() => Err(Failure::unknown_task(named.as_str())),
            Ok(id) => Ok(Some(id.bead_id())),
            Err(_) => Ok(Some(named.clone())),
        }
    }

    /// The agent that a name or an id means.
    pub(crate) fn named(&self, named: &str) -> Result<AgentId, Failure> {
        let member = self.room.named(named).ok_or_else(|| Failure::unknown_agent(named))?;
        Ok(member.agent_id.clone())
    }

    /// Names that are not in use, and not free either.
    pub(crate) fn former(&mut self) -> Result<Vec<Former>, Failure> {
        Ok(former::all(self.tx, &self.room.id)?)
    }

    /// Stores what became different since `before`. The caller was seen.
    pub(crate) fn save(mut self, before: &Room) -> Result<(), StoreError> {
        self.room.touch(&self.actor.agent_id, self.now);
        rooms::save(self.tx, before, &self.room)?;
        let room = &self.room.id;
        if let Some(part) = &self.scopes {
            scopes::save(self.tx, room, &part.before, &part.after)?;
        }
        let before = &self.tasks.before;
        for task in self.tasks.after.tasks.iter().filter(|task| before.find(task.id) != Some(*task)) {
            tasks::put(self.tx, room, task)?;
        }
        tasks::save_focus(self.tx, room, &self.tasks.before.focus, &self.tasks.after.focus)?;
        jobs::save(self.tx, room, &self.jobs.before, &self.jobs.after)?;
        runners::save(self.tx, room, &self.runners.before, &self.runners.after)?;
        library::save(self.tx, room, &self.library.before, &self.library.after)?;
        bus::save(self.tx, room, &self.bus.before, &self.bus.after)?;
        self.save_exchange()?;
        let room = &self.room.id;
        inbox::save(self.tx, room, &self.inbox.before, &self.inbox.after)
    }
}
