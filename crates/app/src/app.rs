//! What every use case works with, and the one way in which they change a room.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use baton_core::{
    code::ErrorCode,
    ids::{AgentId, RoomId},
    limits,
    process::ProcessIdentity,
    redact::{may_hold_secret, redact, redact_json},
    room::{Actor, Room},
    scope::Scopes,
    time::Timestamp,
};
use baton_store::{
    DATABASE_FILE, Location, Store, StoreError,
    engine::Tx,
    hosts, idempotency,
    rooms::{self, Arrival},
    scopes,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{
    Caller, Failure, artifacts,
    clock::{Ids, Time},
    commands::{
        jobs::WhenQueued,
        stick::{Takeover, Wait},
    },
    employment::require_proof,
    environment::Environment,
    liveness::{Eyes, Probe, is_here},
    table::UseCase,
    testimony,
    tree::RoomPaths,
    unit::{Change, Outcome},
};

/// A look for members whose processes are gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sweep {
    /// By a read: only what is news is written.
    Telling,
    /// By a write, which takes those off the list who have nothing left.
    Retiring,
    /// Of the processes behind claims and runners.
    Jobs,
}

/// Commands that grant a turn.
const GRANTS: [&str; 2] = [Wait::NAME, Takeover::NAME];

/// Rooms of which it is remembered when their members were looked at. Forgetting costs a look.
const SWEPT_MAX: usize = 1_024;

/// An open Baton: a store and what the rules are not allowed to look at themselves.
pub struct App {
    pub(crate) store: Store,
    pub(crate) ids: Box<dyn Ids>,
    pub(crate) probe: Probe,
    pub(crate) environment: Environment,
    /// The directory of the embedded store, if it is that.
    pub(crate) directory: Option<PathBuf>,
    /// What the store is called among those whose files are kept in one data directory.
    pub(crate) shelf: String,
    /// Where the store is, without a password.
    pub(crate) location: String,
    /// Whether this machine's boot was told since this process started.
    arrived: AtomicBool,
    /// When the members of rooms were last looked at for ones whose processes are gone.
    swept: Mutex<HashMap<(RoomId, Sweep), Timestamp>>,
    /// Where rooms are.
    pub(crate) room_paths: RoomPaths,
    /// What to do when a job waits and no runner is there.
    pub(crate) when_queued: OnceLock<Box<WhenQueued>>,
}

/// A request that is carried out once, however often it arrives.
pub(crate) struct Request<'a, I> {
    /// The command's name.
    pub(crate) command: &'static str,
    /// What was asked.
    pub(crate) input: &'a I,
    /// The caller's key for it, if it has one.
    pub(crate) key: Option<&'a str>,
}

impl App {
    /// Opens the store at `location`.
    pub fn open(location: &Location, environment: Environment, time: Time, ids: Box<dyn Ids>) -> Result<Self, Failure> {
        let store = Store::open(location, time)?;
        Ok(Self {
            store,
            ids,
            probe: Probe::new(),
            environment,
            directory: match location {
                Location::Directory(directory) => Some(directory.clone()),
                Location::Postgres(_) => None,
            },
            shelf: artifacts::shelf(location),
            location: location.to_string(),
            arrived: AtomicBool::new(false),
            swept: Mutex::default(),
            room_paths: RoomPaths::default(),
            when_queued: OnceLock::new(),
        })
    }

    /// Whether there is a store to open. One on a server is there until it says otherwise.
    pub fn has_store(location: &Location) -> bool {
        match location {
            Location::Directory(directory) => directory.join(DATABASE_FILE).exists(),
            Location::Postgres(_) => true,
        }
    }

    /// Whether a look at the store goes over a network, and may take as long as that takes.
    pub fn is_remote(&self) -> bool {
        self.store.is_remote()
    }

    /// The name of the store among those whose files are kept in one data directory.
    pub fn shelf(&self) -> &str {
        &self.shelf
    }

    /// The environment this process was started in.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The store's time, as the rules are told it.
    pub fn now(&self) -> Result<Timestamp, Failure> {
        Ok(self.store.now()?)
    }

    /// Loads a room, lets `work` decide and apply, and stores the outcome, all in one transaction. A keyed
    /// request that was carried out before is answered as it was then.
    pub(crate) fn change<I: Serialize, O: Serialize + DeserializeOwned>(
        &self,
        caller: &Caller,
        request: &Request<'_, I>,
        room_id: &RoomId,
        mut work: impl FnMut(&mut Change<'_>) -> Result<O, Failure>,
    ) -> Result<O, Failure> {
        self.as_settled(caller, |actor| {
            self.once(caller, actor, request, |tx| self.change_in(tx, caller, actor, room_id, &mut work))
        })
    }

    /// The same for work whose "no" changes something too: what it recorded is kept, whatever it answers.
    pub(crate) fn change_or_refuse<I: Serialize, O: Serialize + DeserializeOwned>(
        &self,
        caller: &Caller,
        request: &Request<'_, I>,
        room_id: &RoomId,
        mut work: impl FnMut(&mut Change<'_>) -> Result<Outcome<O>, Failure>,
    ) -> Result<O, Failure> {
        self.as_settled(caller, |actor| {
            self.once_or_refuse(caller, actor, request, |tx| self.change_in(tx, caller, actor, room_id, &mut work))
        })
    }

    /// The same with what the caller finds in the room at hand: its handoff and messages, which come along in the same
    /// look.
    pub(crate) fn change_on_arrival<I: Serialize, O: Serialize + DeserializeOwned>(
        &self,
        caller: &Caller,
        request: &Request<'_, I>,
        room_id: &RoomId,
        mut work: impl FnMut(&mut Change<'_>) -> Result<O, Failure>,
    ) -> Result<O, Failure> {
        self.as_settled(caller, |actor| {
            self.once(caller, actor, request, |tx| {
                let arrival = self.arrive(tx, caller, room_id, &actor.agent_id)?;
                self.change_loaded(tx, caller, actor, arrival, &mut work)
            })
        })
    }

    /// Runs `work` as the caller; once more, if another process of its conversation came first meanwhile.
    fn as_settled<O>(&self, caller: &Caller, mut work: impl FnMut(&Actor) -> Result<O, Failure>) -> Result<O, Failure> {
        let actor = caller.actor();
        let done = work(&actor);
        if done.as_ref().is_err_and(|failure| failure.code == ErrorCode::IdInUse) && !actor.is_overridden() {
            self.settle(caller)?;
            let settled = caller.actor();
            if settled.agent_id != actor.agent_id {
                return work(&settled);
            }
        }
        done
    }

    /// The same inside a transaction that is under way.
    pub(crate) fn change_in<O>(
        &self,
        tx: &mut dyn Tx,
        caller: &Caller,
        actor: &Actor,
        room_id: &RoomId,
        work: &mut dyn FnMut(&mut Change<'_>) -> Result<O, Failure>,
    ) -> Result<O, Failure> {
        let room = match caller.boundary_in(room_id) {
            Some(boundary) => {
                let found = rooms::load_interrupted(tx, room_id, &actor.agent_id)?;
                let (room, interrupted) = found.ok_or_else(|| Failure::unknown_room(room_id))?;
                boundary.note(room_id, &actor.agent_id, interrupted);
                room
            }
            None => self.room(tx, room_id)?,
        };
        self.change_loaded(tx, caller, actor, room.into(), work)
    }

    fn change_loaded<O>(
        &self,
        tx: &mut dyn Tx,
        caller: &Caller,
        actor: &Actor,
        arrival: Arrival,
        work: &mut dyn FnMut(&mut Change<'_>) -> Result<O, Failure>,
    ) -> Result<O, Failure> {
        let before = arrival.room.clone();
        let eyes = self.eyes(tx, &before)?;
        // After the room is ours: whoever waited for it must not decide by the time at which the wait began.
        let now = tx.now()?;
        let mut change = Change::new(tx, arrival, now, actor, &eyes);
        change.admit(caller)?;
        if self.is_sweep_due(&before, now, Sweep::Retiring) {
            change.retire_gone()?;
        }
        let output = work(&mut change)?;
        // Whoever comes back or adopts may be interrupted by that, after the room was looked at.
        if let Some(boundary) = caller.boundary_in(&before.id).filter(|_| change.interrupts(&actor.agent_id)) {
            boundary.note(&before.id, &actor.agent_id, true);
        }
        change.require_spoken_for(&before)?;
        change.require_living_caller(&before)?;
        change.tell_return(&before)?;
        change.save(&before)?;
        Ok(output)
    }

    /// Whether a command looks for members whose processes are gone. One look a second is enough, and keeps it off the hot
    /// path; a command that runs by itself always looks.
    pub(crate) fn is_sweep_due(&self, room: &Room, now: Timestamp, sweep: Sweep) -> bool {
        room.members.len() >= 2 && self.is_due(&room.id, now, sweep)
    }

    /// Whether the last such look at a room was a second ago. Then this one counts as it.
    pub(crate) fn is_due(&self, room: &RoomId, now: Timestamp, sweep: Sweep) -> bool {
        let mut swept = self.swept.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (room.clone(), sweep);
        let due = swept.get(&key).is_none_or(|last| now.since(*last) >= limits::SWEEP_GRAIN);
        if due {
            if swept.len() >= SWEPT_MAX {
                swept.clear();
            }
            swept.insert(key, now);
        }
        due
    }

    /// Runs `work` in a write transaction, unless the request's key says that it was done before.
    pub(crate) fn once<I: Serialize, O: Serialize + DeserializeOwned>(
        &self,
        caller: &Caller,
        actor: &Actor,
        request: &Request<'_, I>,
        mut work: impl FnMut(&mut dyn Tx) -> Result<O, Failure>,
    ) -> Result<O, Failure> {
        self.once_or_refuse(caller, actor, request, |tx| work(tx).map(Outcome::Done))
    }

    /// The same for work whose "no" changes something too. A "no" is not kept under the key: the request may be tried
    /// again.
    fn once_or_refuse<I: Serialize, O: Serialize + DeserializeOwned>(
        &self,
        caller: &Caller,
        actor: &Actor,
        request: &Request<'_, I>,
        mut work: impl FnMut(&mut dyn Tx) -> Result<Outcome<O>, Failure>,
    ) -> Result<O, Failure> {
        // Whatever is granted here is granted to a process of this boot, and its machine must have said so.
        let arrives = actor.process.as_ref().filter(|_| !self.arrived.load(Ordering::Relaxed));
        let mut work = |tx: &mut dyn Tx| {
            let output = match work(tx)? {
                Outcome::Done(output) => Outcome::Done(without_secrets(output)?),
                Outcome::Refused(failure) => Outcome::Refused(failure),
            };
            if arrives.is_some() {
                let now = tx.now()?;
                testimony::arrive(tx, arrives, now)?;
            }
            Ok::<_, Failure>(output)
        };
        let Some(key) = request.key else {
            let done = self.store.write(|tx| {
                require_proof(tx, caller, actor)?;
                work(tx)
            })?;
            self.arrived.fetch_or(arrives.is_some(), Ordering::Relaxed);
            return done.into();
        };
        check_key(key)?;
        let (digest, kept_under) = (request.digest()?, request.scoped(actor, key));
        let outcome = self.store.write(|tx| {
            // First answers are their caller's own, too.
            require_proof(tx, caller, actor)?;
            idempotency::reserve(tx, &actor.agent_id, &kept_under)?;
            if let Some(first) = idempotency::find(tx, &actor.agent_id, &kept_under)? {
                return first_answer(&first, &digest, key).map(Outcome::Done);
            }
            let outcome = work(tx)?;
            if let Outcome::Done(output) = &outcome {
                let answer = serde_json::to_string(output).map_err(internal)?;
                let first = idempotency::First { request: digest.clone(), answer };
                let now = tx.now()?;
                idempotency::keep(tx, &actor.agent_id, &kept_under, &first, now)?;
            }
            Ok::<_, Failure>(outcome)
        })?;
        outcome.into()
    }

    /// What a keyed request was answered the first time.
    pub(crate) fn replay<I: Serialize, O: DeserializeOwned>(
        &self,
        caller: &Caller,
        request: &Request<'_, I>,
    ) -> Result<Option<O>, Failure> {
        let Some(key) = request.key else { return Ok(None) };
        check_key(key)?;
        let actor = caller.actor();
        let (digest, kept_under) = (request.digest()?, request.scoped(&actor, key));
        let first = self.store.read::<_, Failure>(|tx| {
            require_proof(tx, caller, &actor)?;
            Ok(idempotency::find(tx, &actor.agent_id, &kept_under)?)
        })?;
        first.map(|first| first_answer(&first, &digest, key)).transpose()
    }

    /// Reads a room.
    pub(crate) fn room(&self, tx: &mut dyn Tx, id: &RoomId) -> Result<Room, Failure> {
        rooms::load(tx, id)?.ok_or_else(|| Failure::unknown_room(id))
    }

    /// Reads a room and what `agent`, as which the caller comes, finds there.
    pub(crate) fn arrive(
        &self,
        tx: &mut dyn Tx,
        caller: &Caller,
        id: &RoomId,
        agent: &AgentId,
    ) -> Result<Arrival, Failure> {
        let arrival = rooms::load_for(tx, id, agent)?.ok_or_else(|| Failure::unknown_room(id))?;
        if let Some(boundary) = caller.boundary_in(id) {
            boundary.note(id, agent, arrival.waiting.interrupts);
        }
        Ok(arrival)
    }

    /// What can be seen of the processes behind a room: by looking, and for other machines by what they have told.
    pub(crate) fn eyes(&self, tx: &mut dyn Tx, room: &Room) -> Result<Eyes<'_>, StoreError> {
        let processes: Vec<_> = room.processes().collect();
        if processes.iter().all(|process| is_here(process)) {
            return Ok(Eyes::new(&self.probe, hosts::Testimony::default()));
        }
        // What was told from here too, so that nothing is told twice.
        Ok(Eyes::new(&self.probe, hosts::testimony(tx, &processes)?))
    }

    /// A room as it is now.
    pub(crate) fn see(&self, id: &RoomId) -> Result<Sight<'_>, Failure> {
        self.store.read(|tx| {
            let room = self.room(tx, id)?;
            let eyes = self.eyes(tx, &room)?;
            Ok(Sight { room, eyes, now: tx.now()? })
        })
    }

    /// A room as it is now, with its reservations.
    pub(crate) fn see_with_scopes(&self, id: &RoomId) -> Result<(Sight<'_>, Scopes), Failure> {
        self.store.read(|tx| {
            let room = self.room(tx, id)?;
            let eyes = self.eyes(tx, &room)?;
            let found = scopes::in_force(tx, &room.id)?;
            Ok((Sight { room, eyes, now: tx.now()? }, found))
        })
    }
}

/// A room, the time, and what can be seen of its processes, all from one look.
pub(crate) struct Sight<'a> {
    pub(crate) room: Room,
    pub(crate) eyes: Eyes<'a>,
    pub(crate) now: Timestamp,
}

impl<I: Serialize> Request<'_, I> {
    fn digest(&self) -> Result<String, Failure> {
        let json = serde_json::to_string(self.input).map_err(internal)?;
        let digest = Sha256::new().chain_update(self.command).chain_update([0]).chain_update(json).finalize();
        Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    fn scoped(&self, actor: &Actor, key: &str) -> String {
        if GRANTS.contains(&self.command) { scoped_to_process(actor, key) } else { scoped(actor, key) }
    }
}

/// A caller's key for a turn, which is granted to a process: no other one hears what that was answered.
pub(crate) fn scoped_to_process(actor: &Actor, key: &str) -> String {
    let key = scoped(actor, key);
    match &actor.process {
        Some(ProcessIdentity { host_id, boot_id, pid, start_ticks, .. }) => {
            format!("{host_id}/{boot_id}/{pid}/{start_ticks}\u{1f}{key}")
        }
        None => key,
    }
}

/// A caller's key among those of its agent. Two credentials that name one agent do not hear each other's answers.
pub(crate) fn scoped(actor: &Actor, key: &str) -> String {
    actor.via.as_deref().map_or_else(|| key.to_owned(), |credential| format!("{credential}\u{1f}{key}"))
}

/// An answer without what looks like a secret. It may say again what was asked, and is kept under the request's key.
fn without_secrets<O: Serialize + DeserializeOwned>(output: O) -> Result<O, Failure> {
    let answer = serde_json::to_string(&output).map_err(internal)?;
    if !may_hold_secret(&answer) {
        return Ok(output);
    }
    let given: Value = serde_json::from_str(&answer).map_err(internal)?;
    let clean = redact_json(None, &given);
    if clean == given { Ok(output) } else { serde_json::from_value(clean).map_err(internal) }
}

fn check_key(key: &str) -> Result<(), Failure> {
    if redact(key) != key {
        let message = "idempotency_key: looks like a secret, and keys are stored.";
        return Err(Failure::new(ErrorCode::InvalidInput, message)
            .with("field", "idempotency_key")
            .advising("Choose a key that is none, such as a random number for each request."));
    }
    if (1..=limits::IDEMPOTENCY_KEY_BYTES).contains(&key.len()) && !key.contains('\0') {
        return Ok(());
    }
    let message = format!("idempotency_key must have 1 to {} bytes, none of them zero.", limits::IDEMPOTENCY_KEY_BYTES);
    Err(Failure::new(ErrorCode::InvalidInput, message).with("field", "idempotency_key"))
}

fn first_answer<O: DeserializeOwned>(first: &idempotency::First, digest: &str, key: &str) -> Result<O, Failure> {
    if first.request != digest {
        let message = format!("The key {key:?} belongs to a different request.");
        return Err(Failure::new(ErrorCode::IdempotencyConflict, message).with("idempotency_key", key));
    }
    serde_json::from_str(&first.answer).map_err(internal)
}

pub(crate) fn internal(error: impl std::fmt::Display) -> Failure {
    Failure::new(ErrorCode::Internal, error.to_string())
}
