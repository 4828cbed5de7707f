//! Writing to a store directly, below the service.

use baton_core::{
    event::Recorded,
    ids::{AgentId, RoomId, Seq},
    lease::Fence,
    policy::Policy,
    process::SessionKind,
    room::{Created, Event, Joined, Noted, Room},
    time::Timestamp,
};
use baton_store::{Store, StoreError, engine::Tx, log, rooms};

/// Writes a room's events as one agent, without asking the rules. Each takes a second.
#[derive(Clone, Debug)]
pub struct Scribe {
    /// Who writes.
    pub agent: AgentId,
}

impl Scribe {
    /// A scribe of this name.
    pub fn new(name: &str) -> Self {
        Self { agent: name.parse().unwrap() }
    }

    /// The creation of a room at a path.
    pub fn creation(&self, room: &str, path: &str) -> Recorded {
        let created =
            Created { canonical_path: Some(path.to_owned()), name: None, earlier_events: 0, policy: Policy::default() };
        Recorded {
            overridden: false,
            room_id: room.parse().unwrap(),
            seq: Seq(1),
            at: Timestamp::from_millis(0),
            actor: self.agent.clone(),
            turn: Fence(0),
            event: Event::Created(created).into(),
        }
    }

    /// Stores a new room at a path, with the scribe as its member.
    pub fn opens(&self, store: &Store, room: &str, path: &str) -> Room {
        let first = self.creation(room, path);
        let room = Room::open(&first).unwrap();
        let inserted = store.write::<_, StoreError>(|tx| {
            rooms::insert(tx, &room)?;
            log::append(tx, &first)
        });
        inserted.unwrap();
        self.writes(store, &room, self.joining()).unwrap()
    }

    /// The scribe's own joining.
    pub fn joining(&self) -> Event {
        Event::Joined(Joined {
            agent_id: self.agent.clone(),
            display_name: self.agent.to_string(),
            role: None,
            session_kind: SessionKind::McpHarness,
            process: None,
            rejoin: false,
            agent_id_override: false,
            added_by: None,
            parallel_to: None,
            keeps_turn: false,
        })
    }

    /// Stores an event and what follows from it, and gives the room as it is then.
    pub fn writes(&self, store: &Store, room: &Room, event: Event) -> Result<Room, StoreError> {
        store.write(|tx| self.writes_in(tx, room, event.clone()))
    }

    /// The same inside a transaction.
    pub fn writes_in(&self, tx: &mut dyn Tx, room: &Room, event: Event) -> Result<Room, StoreError> {
        // So far apart that each event's presence is written.
        let at = Timestamp::from_millis(room.last_seq.0 as i64 * 10_000);
        let recorded = room.record(at, self.agent.clone(), event);
        let mut after = room.clone();
        after.apply(&recorded);
        log::append(tx, &recorded)?;
        rooms::save(tx, room, &after)?;
        Ok(after)
    }

    /// Stores a note.
    pub fn notes(&self, store: &Store, room: &Room, text: &str) -> Result<Room, StoreError> {
        self.writes(store, room, Event::Noted(Noted { text: text.to_owned() }))
    }

    /// A room as it is stored.
    pub fn reads(&self, store: &Store, room: &RoomId) -> Result<Option<Room>, StoreError> {
        store.read(|tx| rooms::load(tx, room))
    }

    /// A room's log, oldest first.
    pub fn log(&self, store: &Store, room: &RoomId) -> Result<Vec<Recorded>, StoreError> {
        store.read(|tx| log::after(tx, room, Seq(0), u32::MAX))
    }
}
