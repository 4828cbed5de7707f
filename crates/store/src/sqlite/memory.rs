//! Rooms as a connection read or stored them last, so that the next transaction need not read them again.
//!
//! It is as good as the pages that SQLite keeps for the connection, and goes by the same number: `PRAGMA data_version`
//! changes when another connection, of this process or another one, has committed. What this connection changes itself
//! clears it, and so does a rollback.
//!
//! Invariant: a remembered room equals the stored one. In debug builds [`crate::rooms`] reads the stored one anyway, and
//! compares.

use baton_core::{ids::RoomId, room::Room};

/// Rooms a connection remembers. A process works in one or two; a server for many has more connections.
const ROOMS: usize = 4;

/// Rooms of one connection, and the version of the data that they belong to.
#[derive(Default)]
pub(super) struct Memory {
    version: Option<i64>,
    /// Whether this program may write to data of this version.
    is_writable: bool,
    rooms: Vec<Room>,
}

impl Memory {
    /// Begins a transaction on data of a version, and forgets what was true of another one.
    pub(super) fn begin(&mut self, version: i64) {
        if self.version != Some(version) {
            *self = Self { version: Some(version), ..Self::default() };
        }
    }

    pub(super) fn is_writable(&self) -> bool {
        self.is_writable
    }

    /// Notes that data of this version may be written.
    pub(super) fn note_writable(&mut self) {
        self.is_writable = true;
    }

    pub(super) fn recall(&self, id: &RoomId) -> Option<&Room> {
        self.rooms.iter().find(|room| room.id == *id)
    }

    pub(super) fn remember(&mut self, room: Room) {
        self.rooms.retain(|known| known.id != room.id);
        if self.rooms.len() == ROOMS {
            self.rooms.remove(0);
        }
        self.rooms.push(room);
    }

    /// Forgets every room, because rows of rooms or members change.
    pub(super) fn forget(&mut self) {
        self.rooms.clear();
    }
}

/// Words before the name of the table that a statement changes, and the name: `INSERT OR REPLACE INTO rooms`.
const WORDS_TO_TABLE: usize = 5;

/// Whether a statement changes rows that a room is made of. Whatever changes rows is executed, and not asked as a question.
pub(super) fn changes_rooms(sql: &str) -> bool {
    sql.split_whitespace().take(WORDS_TO_TABLE).any(|word| matches!(word, "rooms" | "members"))
}
