//! A reservation of paths, and all that are in force in a room.

use serde::{Deserialize, Serialize};

use super::{Event, ScopePath};
use crate::{
    event::{self, Recorded},
    ids::{AgentId, BeadId, Seq},
    lease::{Fence, Lease, expired},
    time::Timestamp,
};

/// A scope that one agent has reserved. The place of the grant in the log is its fence, and its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// Holder, fence and expiry.
    pub lease: Lease,
    /// What is reserved, as it is written: relative to the room's root.
    pub scope: String,
    /// What for.
    pub bead_id: Option<BeadId>,
    /// Since when.
    pub since: Timestamp,
    /// When and how it ended, once it has.
    pub ended: Option<Ended>,
}

/// The end of a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// When.
    pub at: Timestamp,
    /// How.
    pub how: End,
}

/// How a reservation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum End {
    /// Its owner gave it back, or left the room.
    Released,
    /// Its time ran out, or its owner was stale or evicted and another took it over.
    Expired,
}

impl End {
    /// The word that is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Released => "released",
            Self::Expired => "expired",
        }
    }
}

impl Reservation {
    /// The place of the grant in the room's log.
    pub const fn id(&self) -> Seq {
        Seq(self.lease.fence.0)
    }

    /// Whether it is in force.
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.ended.is_none() && !expired(self.lease.expires_at, now)
    }

    /// Whether its time ran out and nobody has said so yet.
    pub fn has_lapsed(&self, now: Timestamp) -> bool {
        self.ended.is_none() && expired(self.lease.expires_at, now)
    }

    /// The paths it covers, in a room at `root`. What is stored was parsed when it was reserved; a text that no longer
    /// can be covers all of the room rather than nothing.
    pub fn path(&self, root: &ScopePath) -> ScopePath {
        ScopePath::scope(&self.scope, root).unwrap_or_else(|_| root.clone())
    }
}

/// The reservations of a room that have not ended. Folding the log gives all that ever were.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scopes {
    /// In the order in which they were granted, which is that of their ids.
    pub reservations: Vec<Reservation>,
}

impl Scopes {
    /// The reservation with this id.
    pub fn find(&self, id: Seq) -> Option<&Reservation> {
        self.place(id).map(|place| &self.reservations[place])
    }

    /// Where a reservation is. Folding a long log asks for many, so they are not all looked at.
    fn place(&self, id: Seq) -> Option<usize> {
        self.reservations.binary_search_by_key(&id, Reservation::id).ok()
    }

    /// Folds an event that was decided on. Events of other parts change nothing.
    pub fn apply(&mut self, recorded: &Recorded) {
        let event::Event::Scope(event) = &recorded.event else { return };
        let at = recorded.at;
        match event {
            Event::Reserved(reserved) => {
                for displaced in &reserved.displaced {
                    self.end(displaced.reservation, at, End::Expired);
                }
                match reserved.renews {
                    Some(id) => self.change(id, |reservation| {
                        reservation.lease.expires_at = reserved.expires_at;
                        reservation.bead_id = reserved.bead_id.clone();
                    }),
                    None => self.reservations.push(Reservation {
                        lease: Lease {
                            holder: reserved.owner.clone(),
                            fence: Fence(recorded.seq.0),
                            expires_at: reserved.expires_at,
                        },
                        scope: reserved.scope.clone(),
                        bead_id: reserved.bead_id.clone(),
                        since: at,
                        ended: None,
                    }),
                }
            }
            Event::Released(released) => self.end(released.reservation, at, End::Released),
            Event::Expired(expired) => self.end(expired.reservation, at, End::Expired),
            Event::Transferred(transferred) => {
                self.change(transferred.reservation, |reservation| reservation.lease.holder = transferred.to.clone());
            }
            Event::Incursion(_) | Event::Edited(_) => {}
        }
    }

    /// Those that `agent` has.
    pub fn of<'a>(&'a self, agent: &'a AgentId) -> impl Iterator<Item = &'a Reservation> {
        self.reservations.iter().filter(move |reservation| reservation.lease.holder == *agent)
    }

    fn end(&mut self, id: Seq, at: Timestamp, how: End) {
        self.change(id, |reservation| reservation.ended = Some(Ended { at, how }));
    }

    fn change(&mut self, id: Seq, with: impl FnOnce(&mut Reservation)) {
        if let Some(place) = self.place(id) {
            with(&mut self.reservations[place]);
        }
    }
}
