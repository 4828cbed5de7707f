//! What happens to scopes, as a room's events tell it: collisions are recorded once and counted from then on.

use std::collections::BTreeMap;

use baton_core::{
    agent::Presence,
    event::{Event, Recorded},
    ids::{AgentId, Seq},
    protocol::Project,
    room::{Room, TakenOver},
    scope::{self, Came, Collision, Displaced},
    time::Timestamp,
};
use baton_store::{
    StoreError,
    engine::Tx,
    incursions::{self, Met},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Failure,
    unit::Change,
    view::{ProcessState, RoomEvent},
};

/// Who lost the stick or a reservation, because they did not respond.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DisplacedOwner {
    pub owner: AgentId,
    /// What people call them.
    pub owner_agent: Option<String>,
    /// What they had reserved.
    pub scope: Option<String>,
    /// How present they were, of a reservation.
    pub owner_liveness: Option<Presence>,
    /// What was seen of their process.
    pub process: ProcessState,
    /// When their lease or claim ran out, or would have, of the stick.
    pub expired_at: Option<Timestamp>,
}

impl DisplacedOwner {
    pub(crate) fn of_stick(taken: &TakenOver) -> Self {
        Self {
            owner: taken.revoked_agent_id.clone(),
            owner_agent: None,
            scope: None,
            owner_liveness: None,
            process: ProcessState::of(&taken.liveness),
            expired_at: Some(taken.expired_at),
        }
    }

    fn of_scope(displaced: &Displaced) -> Self {
        Self {
            owner: displaced.owner.clone(),
            owner_agent: Some(displaced.owner_name.clone()),
            scope: Some(displaced.scope.clone()),
            owner_liveness: Some(displaced.liveness),
            process: ProcessState::of(&displaced.process),
            expired_at: None,
        }
    }
}

impl RoomEvent {
    pub(crate) fn of_scope(self, event: &scope::Event) -> Self {
        use scope::Event;
        let told = |scope: &String| Some(scope.clone());
        match event {
            Event::Reserved(reserved) => Self {
                scope: told(&reserved.scope),
                to_agent_id: reserved.displaced.first().map(|displaced| displaced.owner.clone()),
                expires_at: Some(reserved.expires_at),
                reason: why(reserved),
                displaced: reserved.displaced.iter().map(DisplacedOwner::of_scope).collect(),
                ..self
            },
            Event::Released(released) => {
                Self { scope: told(&released.scope), to_agent_id: Some(released.owner.clone()), ..self }
            }
            Event::Expired(expired) => Self {
                scope: told(&expired.scope),
                to_agent_id: Some(expired.owner.clone()),
                expires_at: Some(expired.expired_at),
                ..self
            },
            Event::Transferred(transferred) => Self {
                scope: told(&transferred.scope),
                from_agent_id: Some(transferred.from.clone()),
                to_agent_id: Some(transferred.to.clone()),
                reason: Some("adoption".to_owned()),
                ..self
            },
            Event::Incursion(incursion) => {
                Self { scope: told(&incursion.owner_scope), to_agent_id: Some(incursion.owner.clone()), ..self }
            }
            Event::Edited(edited) => Self {
                scope: Some(edited.place()),
                from_agent_id: edited.by.clone(),
                to_agent_id: edited.owner.clone(),
                ..self
            },
        }
    }

    /// Events of a room, each collision with how often it was met.
    pub(crate) fn all_of(tx: &mut dyn Tx, room: &Room, found: &[Recorded]) -> Result<Vec<Self>, StoreError> {
        let counts = Counts::read(tx, room, found)?;
        Ok(found.iter().map(|recorded| counts.told(recorded, room.into())).collect())
    }
}

/// Why paths were reserved, as far as it is known.
fn why(reserved: &scope::Reserved) -> Option<String> {
    let taken = reserved.displaced.first().map(|displaced| format!("the owner was {}", displaced.liveness.as_str()));
    let extended = reserved.renews.map(|_| "extended".to_owned());
    let bead = reserved.bead_id.as_ref().map(|bead| format!("for {bead}"));
    let said: Vec<String> = [taken, extended, bead].into_iter().flatten().collect();
    Some(said.join(", ")).filter(|said| !said.is_empty())
}

/// How often the collisions among some events were met.
#[derive(Default)]
pub(crate) struct Counts(BTreeMap<Seq, Met>);

impl Counts {
    pub(crate) fn read(tx: &mut dyn Tx, room: &Room, found: &[Recorded]) -> Result<Self, StoreError> {
        let is_collision = |recorded: &&Recorded| matches!(recorded.event, Event::Scope(scope::Event::Incursion(_)));
        let places: Vec<Seq> = found.iter().filter(is_collision).map(|recorded| recorded.seq).collect();
        let (Some(first), Some(last)) = (places.iter().min(), places.iter().max()) else { return Ok(Self::default()) };
        Ok(Self(incursions::told(tx, &room.id, *first..=*last)?))
    }

    /// How often the collision of an event was met.
    pub(crate) fn of(&self, seq: Seq) -> u64 {
        self.0.get(&seq).map_or(1, |met| met.times)
    }

    /// An event, with how often it was met.
    pub(crate) fn told(&self, recorded: &Recorded, project: Project<'_>) -> RoomEvent {
        let event = RoomEvent::of(recorded, project);
        let Some(met) = self.0.get(&recorded.seq) else { return event };
        let protocol = event.protocol.map(|protocol| protocol.counted(met.times, met.last_at));
        RoomEvent { protocol, ..event }
    }
}

impl Change<'_> {
    /// Puts collisions on record. One that was met before, and is not settled, is the same row, and counted: an agent that
    /// asks again and again does not fill the log.
    pub(crate) fn record_collisions(
        &mut self,
        collisions: &[Collision],
        by: &AgentId,
        came: Came,
    ) -> Result<(), Failure> {
        for collision in collisions {
            let (reservation, identity) = (collision.reservation.id(), collision.identity(by, came));
            let met = match incursions::find(self.store.tx()?, &self.room.id, reservation, &identity)? {
                Some(before) => Met { times: before.times.saturating_add(1), last_at: self.now, ..before },
                None => {
                    let seq = self.record(collision.incursion(&self.room, by, came))?.seq;
                    Met { reservation, collision: identity, seq, times: 1, last_at: self.now }
                }
            };
            incursions::put(self.store.tx()?, &self.room.id, &met)?;
        }
        Ok(())
    }
}
