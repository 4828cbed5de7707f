//! Folding a room's log, and comparing what comes out with the room that is stored.
//!
//! It is fed event by event, so that a log of any length is folded in the memory of one room. It does not read: whoever
//! does decides in which transaction.

use baton_core::{
    code::ErrorCode,
    ids::Seq,
    room::{Recorded, Room, Stick},
};

use crate::Failure;

/// A log as far as it was read, and the room it makes.
#[derive(Default)]
pub(crate) struct Fold {
    room: Option<Room>,
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
        match &mut self.room {
            Some(room) => room.apply(recorded),
            None => {
                let room = Room::open(recorded);
                self.room = Some(room.ok_or_else(|| wrong("the log does not begin with its creation".to_owned()))?);
            }
        }
        self.last = recorded.seq;
        Ok(())
    }

    /// Makes sure that `stored` is what the log makes.
    pub(crate) fn require(self, stored: &Room) -> Result<(), Failure> {
        let folded = self.room.ok_or_else(|| wrong("it has no log".to_owned()))?;
        if stored.last_seq != self.last {
            let message = format!("it is stored at event {} and its log ends at {}", stored.last_seq, self.last);
            return Err(wrong(message));
        }
        let [folded, stored] = [folded, stored.clone()].map(|room| without_lease_expiry(without_presence(room)));
        if folded == stored {
            return Ok(());
        }
        Err(wrong(format!("it is not the fold of its log: stored {:?}, folded {:?}", stored.stick, folded.stick)))
    }
}

/// A room less who was last seen when, which moves without events.
pub(crate) fn without_presence(mut room: Room) -> Room {
    room.updated_at = room.created_at;
    for member in &mut room.members {
        member.last_seen_at = member.joined_at;
    }
    room
}

/// A room less the end of its lease, which moves without events too.
fn without_lease_expiry(mut room: Room) -> Room {
    if let Stick::Owned(ownership) = &mut room.stick {
        ownership.lease.expires_at = ownership.since;
    }
    room
}

fn wrong(message: String) -> Failure {
    Failure::new(ErrorCode::StoreCorrupt, message)
}
