//! Folding a room's log, and comparing what comes out with what is stored.
//!
//! It is fed event by event, so that a log of any length is folded in the memory of one room. It does not read the log:
//! whoever does decides in which transaction.

use baton_core::{
    code::ErrorCode,
    event::Recorded,
    ids::{RoomId, Seq},
    room::{Room, Stick},
};
use baton_store::{engine::Tx, rooms};

use crate::{Failure, unit::parts::Parts};

/// A room with all of its parts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Whole {
    pub(crate) room: Room,
    pub(super) parts: Parts,
}

impl Whole {
    /// A room as it is stored.
    pub(crate) fn load(tx: &mut dyn Tx, id: &RoomId) -> Result<Self, Failure> {
        let room = rooms::load(tx, id)?.ok_or_else(|| Failure::unknown_room(id))?;
        Ok(Self { parts: Parts::load(tx, id)?, room })
    }

    /// Stores it where there is nothing of it yet.
    pub(crate) fn insert(&self, tx: &mut dyn Tx) -> Result<(), Failure> {
        rooms::insert(tx, &self.room)?;
        Ok(self.parts.insert(tx, &self.room.id)?)
    }

    /// The same less what moves without events: who was last seen when, and what runners say between events.
    pub(crate) fn without_presence(mut self) -> Self {
        self.room.updated_at = self.room.created_at;
        for member in &mut self.room.members {
            member.last_seen_at = member.joined_at;
        }
        Self { parts: self.parts.without_presence(), room: self.room }
    }

    /// The same less the end of the stick's lease, which moves without events too.
    fn without_lease_expiry(mut self) -> Self {
        if let Stick::Owned(ownership) = &mut self.room.stick {
            ownership.lease.expires_at = ownership.since;
        }
        self
    }

    pub(super) fn open(first: &Recorded) -> Option<Self> {
        Some(Self { room: Room::open(first)?, parts: Parts::of_new_room() })
    }

    pub(super) fn apply(&mut self, recorded: &Recorded) {
        self.parts.apply(recorded, &self.room);
        self.parts.settle();
        self.room.apply(recorded);
    }

    /// The first part in which two rooms differ.
    fn difference(&self, other: &Self) -> Option<String> {
        if self.room != other.room {
            return Some(format!("stored {:?}, folded {:?}", self.room.stick, other.room.stick));
        }
        self.parts.difference(&other.parts).map(|part| format!("other rows in its part {part:?}"))
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
