//! What every use case works with, and the one way in which they change a room.

use std::path::Path;

use baton_core::{
    code::ErrorCode,
    ids::RoomId,
    limits,
    process::Witness,
    room::{Action, Actor, Command, Event, Recorded, Room},
    time::Timestamp,
};
use baton_store::{Store, engine::Tx, idempotency, log, rooms};
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};

use crate::{
    Caller, Failure,
    clock::{Clock, Ids},
    environment::Environment,
    liveness::Probe,
};

/// An open Baton: a store and what the rules are not allowed to look at themselves.
pub struct App {
    pub(crate) store: Store,
    pub(crate) clock: Box<dyn Clock>,
    pub(crate) ids: Box<dyn Ids>,
    pub(crate) probe: Probe,
    pub(crate) environment: Environment,
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

/// A room that is being changed, inside its transaction.
pub(crate) struct Change<'a> {
    pub(crate) tx: &'a mut dyn Tx,
    pub(crate) room: Room,
    pub(crate) now: Timestamp,
    pub(crate) actor: &'a Actor,
    pub(crate) witness: &'a dyn Witness,
}

impl App {
    /// Opens the store in `data_directory`.
    pub fn open(
        data_directory: &Path,
        environment: Environment,
        clock: Box<dyn Clock>,
        ids: Box<dyn Ids>,
    ) -> Result<Self, Failure> {
        let store = Store::open(data_directory)?;
        Ok(Self { store, clock, ids, probe: Probe::new(), environment })
    }

    /// The environment this process was started in.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The time, as the rules are told it.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
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
        let actor = caller.actor();
        self.once(&actor, request, |tx, now| self.change_in(tx, now, &actor, room_id, &mut work))
    }

    /// The same inside a transaction that is under way.
    pub(crate) fn change_in<O>(
        &self,
        tx: &mut dyn Tx,
        now: Timestamp,
        actor: &Actor,
        room_id: &RoomId,
        work: &mut dyn FnMut(&mut Change<'_>) -> Result<O, Failure>,
    ) -> Result<O, Failure> {
        let before = self.room(tx, room_id)?;
        let mut change = Change { tx, room: before.clone(), now, actor, witness: &self.probe };
        change.come_back()?;
        let output = work(&mut change)?;
        change.room.touch(&actor.agent_id, now);
        let after = change.room;
        rooms::save(tx, &before, &after)?;
        Ok(output)
    }

    /// Runs `work` in a write transaction, unless the request's key says that it was done before.
    pub(crate) fn once<I: Serialize, O: Serialize + DeserializeOwned>(
        &self,
        actor: &Actor,
        request: &Request<'_, I>,
        mut work: impl FnMut(&mut dyn Tx, Timestamp) -> Result<O, Failure>,
    ) -> Result<O, Failure> {
        let Some(key) = request.key else {
            return self.store.write(|tx| work(tx, self.clock.now()));
        };
        check_key(key)?;
        let digest = request.digest()?;
        self.store.write(|tx| {
            if let Some(first) = idempotency::find(tx, &actor.agent_id, key)? {
                return first_answer(&first, &digest, key);
            }
            let now = self.clock.now();
            let output = work(tx, now)?;
            let answer = serde_json::to_string(&output).map_err(internal)?;
            let first = idempotency::First { request: digest.clone(), answer };
            idempotency::keep(tx, &actor.agent_id, key, &first, now)?;
            Ok(output)
        })
    }

    /// What a keyed request was answered the first time.
    pub(crate) fn replay<I: Serialize, O: DeserializeOwned>(
        &self,
        actor: &Actor,
        request: &Request<'_, I>,
    ) -> Result<Option<O>, Failure> {
        let Some(key) = request.key else { return Ok(None) };
        check_key(key)?;
        let digest = request.digest()?;
        let first = self.store.read::<_, Failure>(|tx| Ok(idempotency::find(tx, &actor.agent_id, key)?))?;
        first.map(|first| first_answer(&first, &digest, key)).transpose()
    }

    /// Reads a room.
    pub(crate) fn room(&self, tx: &mut dyn Tx, id: &RoomId) -> Result<Room, Failure> {
        rooms::load(tx, id)?.ok_or_else(|| Failure::unknown_room(id))
    }
}

impl Change<'_> {
    /// Decides `action`, and when it is allowed logs and applies what follows from it.
    pub(crate) fn decide(&mut self, action: Action) -> Result<Option<Recorded>, Failure> {
        let command = Command { by: self.actor.clone(), action };
        match self.room.decide(self.now, &command, self.witness)? {
            Some(event) => self.apply(event).map(Some),
            None => Ok(None),
        }
    }

    /// Records the caller's return, if it comes back from the dead.
    pub(crate) fn come_back(&mut self) -> Result<(), Failure> {
        match self.room.comeback(self.actor, self.witness) {
            Some(event) => self.apply(event).map(|_| ()),
            None => Ok(()),
        }
    }

    fn apply(&mut self, event: Event) -> Result<Recorded, Failure> {
        let recorded = self.room.record(self.now, self.actor.agent_id.clone(), event);
        log::append(self.tx, &recorded)?;
        self.room.apply(&recorded);
        Ok(recorded)
    }
}

impl<I: Serialize> Request<'_, I> {
    fn digest(&self) -> Result<String, Failure> {
        let json = serde_json::to_string(self.input).map_err(internal)?;
        let digest = Sha256::new().chain_update(self.command).chain_update([0]).chain_update(json).finalize();
        Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

fn check_key(key: &str) -> Result<(), Failure> {
    if (1..=limits::IDEMPOTENCY_KEY_BYTES).contains(&key.len()) {
        return Ok(());
    }
    let message = format!("idempotency_key must have 1 to {} bytes.", limits::IDEMPOTENCY_KEY_BYTES);
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
