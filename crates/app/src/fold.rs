//! Folding a room's log, and comparing what comes out with what is stored.
//!
//! It is fed event by event, so that a log of any length is folded in the memory of one room. It does not read the log:
//! whoever does decides in which transaction.

use baton_core::{
    agent::{Former, Given},
    bus::Bus,
    code::ErrorCode,
    context::Context,
    envelope::Envelopes,
    event::Recorded,
    ids::{RoomId, Seq},
    inbox::Inbox,
    job::{Job, Jobs},
    library::Library,
    room::{Room, Stick},
    runner::{Runner, Runners},
    scope::Scopes,
    spawn::Spawns,
    task::Tasks,
    turn::Turns,
};
use baton_store::{
    bus, context, engine::Tx, envelopes, former, inbox, jobs, library, rooms, runners, scopes, spawns, tasks, turns,
};

use crate::Failure;

/// A room with all of its parts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Whole {
    pub(crate) room: Room,
    pub(crate) former: Vec<Former>,
    pub(crate) scopes: Scopes,
    pub(crate) tasks: Tasks,
    pub(crate) inbox: Inbox,
    pub(crate) jobs: Jobs,
    pub(crate) runners: Runners,
    pub(crate) library: Library,
    pub(crate) bus: Bus,
    pub(crate) context: Context,
    pub(crate) envelopes: Envelopes,
    pub(crate) turns: Turns,
    pub(crate) spawns: Spawns,
}

impl Whole {
    /// A room as it is stored.
    pub(crate) fn load(tx: &mut dyn Tx, id: &RoomId) -> Result<Self, Failure> {
        let room = rooms::load(tx, id)?.ok_or_else(|| Failure::unknown_room(id))?;
        Ok(Self {
            former: former::all(tx, id)?,
            scopes: scopes::all(tx, id)?,
            tasks: tasks::all(tx, id)?,
            inbox: inbox::all(tx, id)?,
            jobs: jobs::all(tx, id)?,
            runners: runners::all(tx, id)?,
            library: library::all(tx, id)?,
            bus: bus::all(tx, id)?,
            context: context::load(tx, id)?,
            envelopes: envelopes::all(tx, id)?,
            turns: turns::all(tx, id)?,
            spawns: spawns::all(tx, id)?,
            room,
        })
    }

    /// Stores it where there is nothing of it yet.
    pub(crate) fn insert(&self, tx: &mut dyn Tx) -> Result<(), Failure> {
        let id = &self.room.id;
        rooms::insert(tx, &self.room)?;
        self.former.iter().try_for_each(|former| former::put(tx, id, former))?;
        scopes::save(tx, id, &Scopes::default(), &self.scopes)?;
        self.tasks.tasks.iter().try_for_each(|task| tasks::put(tx, id, task))?;
        tasks::save_focus(tx, id, &[], &self.tasks.focus)?;
        inbox::save(tx, id, &Inbox::default(), &self.inbox)?;
        jobs::save(tx, id, &Jobs::default(), &self.jobs)?;
        runners::save(tx, id, &Runners::default(), &self.runners)?;
        library::save(tx, id, &Library::default(), &self.library)?;
        bus::save(tx, id, &Bus::default(), &self.bus)?;
        context::save(tx, id, &Context::default(), &self.context)?;
        envelopes::save(tx, id, &Envelopes::default(), &self.envelopes)?;
        turns::save(tx, id, &Turns::default(), &self.turns)?;
        spawns::save(tx, id, &Spawns::default(), &self.spawns)?;
        Ok(())
    }

    /// The same in the order in which it is stored, less what moves without events: who was last seen when, and what
    /// runners say between events.
    pub(crate) fn without_presence(mut self) -> Self {
        self.jobs.jobs = self.jobs.jobs.into_iter().map(Job::without_heartbeats).collect();
        self.runners.runners = self.runners.runners.into_iter().map(Runner::without_heartbeats).collect();
        self.room.updated_at = self.room.created_at;
        for member in &mut self.room.members {
            member.last_seen_at = member.joined_at;
        }
        self.former.sort_by(|one, other| (one.until, &one.name).cmp(&(other.until, &other.name)));
        self.inbox.items.sort_by(|one, other| (one.message, &one.recipient).cmp(&(other.message, &other.recipient)));
        self
    }

    /// The same less the end of the stick's lease, which moves without events too.
    fn without_lease_expiry(mut self) -> Self {
        if let Stick::Owned(ownership) = &mut self.room.stick {
            ownership.lease.expires_at = ownership.since;
        }
        self
    }

    fn open(first: &Recorded) -> Option<Self> {
        Some(Self {
            room: Room::open(first)?,
            former: Vec::new(),
            scopes: Scopes::default(),
            tasks: Tasks::default(),
            inbox: Inbox::default(),
            jobs: Jobs::default(),
            runners: Runners::default(),
            library: Library::default(),
            bus: Bus::default(),
            context: Context::default(),
            envelopes: Envelopes::default(),
            turns: Turns::default(),
            spawns: Spawns::default(),
        })
    }

    fn apply(&mut self, recorded: &Recorded) {
        if let Some(event) = recorded.event.room() {
            Given::by(&self.room, event, recorded.at).apply(&mut self.former);
        }
        self.room.apply(recorded);
        self.scopes.apply(recorded);
        self.tasks.apply(recorded);
        self.inbox.apply(recorded);
        self.jobs.apply(recorded);
        self.runners.apply(recorded);
        self.library.apply(recorded);
        self.bus.apply(recorded);
        self.context.apply(recorded);
        self.envelopes.apply(recorded);
        self.turns.apply(recorded);
        self.spawns.apply(recorded);
    }

    /// The first part in which two rooms differ.
    fn difference(&self, other: &Self) -> Option<String> {
        if self.room != other.room {
            return Some(format!("stored {:?}, folded {:?}", self.room.stick, other.room.stick));
        }
        let parts = [
            ("former names", self.former != other.former),
            ("scopes", self.scopes != other.scopes),
            ("tasks", self.tasks != other.tasks),
            ("inboxes", self.inbox != other.inbox),
            ("jobs", self.jobs != other.jobs),
            ("runners", self.runners != other.runners),
            ("library", self.library != other.library),
            ("bus", self.bus != other.bus),
            ("brief", self.context != other.context),
            ("envelopes", self.envelopes != other.envelopes),
            ("turns", self.turns != other.turns),
            ("approvals", self.spawns != other.spawns),
        ];
        parts.into_iter().find(|(_, differ)| *differ).map(|(part, _)| format!("its {part} are others"))
    }
}

/// A log as far as it was read, and the room it makes.
#[derive(Default)]
pub(crate) struct Fold {
    whole: Option<Whole>,
    last: Seq,
}

impl Fold {
    /// The last event so far.
    pub(crate) fn last(&self) -> Seq {
        self.last
    }

    /// Adds the next event. There must be none between it and the last.
    pub(crate) fn add(&mut self, recorded: &Recorded) -> Result<(), Failure> {
        let expected = self.last.next();
        if recorded.seq != expected {
            return Err(wrong(format!("event {expected} is missing: the log goes on with {}", recorded.seq)));
        }
        match &mut self.whole {
            Some(whole) => whole.apply(recorded),
            None => {
                let whole = Whole::open(recorded);
                self.whole = Some(whole.ok_or_else(|| wrong("the log does not begin with its creation".to_owned()))?);
            }
        }
        self.last = recorded.seq;
        Ok(())
    }

    /// Makes sure that `stored` is what the log makes.
    pub(crate) fn require(self, stored: &Whole) -> Result<(), Failure> {
        let folded = self.whole.ok_or_else(|| wrong("it has no log".to_owned()))?;
        let last = stored.room.last_seq;
        if last != self.last {
            return Err(wrong(format!("it is stored at event {last} and its log ends at {}", self.last)));
        }
        let [folded, stored] = [folded, stored.clone()].map(|whole| whole.without_presence().without_lease_expiry());
        match stored.difference(&folded) {
            Some(difference) => Err(wrong(format!("it is not the fold of its log: {difference}"))),
            None => Ok(()),
        }
    }
}

fn wrong(message: String) -> Failure {
    Failure::new(ErrorCode::StoreCorrupt, message)
}
