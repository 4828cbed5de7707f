//! A reservation of paths.

use serde::{Deserialize, Serialize};

use super::{Event, Reserved, ScopePath};
use crate::{
    event::{self, Recorded},
    ids::{AgentId, BeadId, Seq},
    lease::{Fence, Lease, expired},
    part::{Part, Rows, Touched},
    room::Room,
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
    fn granted(recorded: &Recorded, reserved: &Reserved) -> Self {
        Self {
            lease: Lease {
                holder: reserved.owner.clone(),
                fence: Fence(recorded.seq.0),
                expires_at: reserved.expires_at,
            },
            scope: reserved.scope.clone(),
            bead_id: reserved.bead_id.clone(),
            since: recorded.at,
            ended: None,
        }
    }

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

impl Part for Reservation {
    type Key = Seq;

    fn key(&self) -> Seq {
        self.id()
    }

    fn touched(event: &Recorded, _before: &Room) -> Touched<Seq> {
        let event::Event::Scope(event) = &event.event else { return Touched::Nothing };
        match event {
            Event::Reserved(reserved) => {
                let displaced = reserved.displaced.iter().map(|displaced| displaced.reservation);
                Touched::Rows(displaced.chain(reserved.renews).collect())
            }
            Event::Released(released) => Touched::row(released.reservation),
            Event::Expired(expired) => Touched::row(expired.reservation),
            Event::Transferred(transferred) => Touched::row(transferred.reservation),
            Event::Incursion(_) | Event::Edited(_) => Touched::Nothing,
        }
    }

    fn apply(rows: &mut Rows<Self>, event: &Recorded, _before: &Room) {
        let at = event.at;
        let mut end = |id, how| rows.change(&id, |reservation| reservation.ended = Some(Ended { at, how }));
        let event::Event::Scope(change) = &event.event else { return };
        match change {
            Event::Reserved(reserved) => {
                reserved.displaced.iter().for_each(|displaced| end(displaced.reservation, End::Expired));
                match reserved.renews {
                    Some(id) => rows.change(&id, |reservation| {
                        reservation.lease.expires_at = reserved.expires_at;
                        reservation.bead_id = reserved.bead_id.clone();
                    }),
                    None => rows.put(Self::granted(event, reserved)),
                }
            }
            Event::Released(released) => end(released.reservation, End::Released),
            Event::Expired(expired) => end(expired.reservation, End::Expired),
            Event::Transferred(transferred) => {
                rows.change(&transferred.reservation, |reservation| reservation.lease.holder = transferred.to.clone());
            }
            Event::Incursion(_) | Event::Edited(_) => {}
        }
    }
}

/// The reservations of a room, those in force among them. The ones that ended count for nothing.
pub type Scopes = Rows<Reservation>;

impl Scopes {
    /// Those that `agent` has.
    pub fn of<'a>(&'a self, agent: &'a AgentId) -> impl Iterator<Item = &'a Reservation> {
        self.iter().filter(move |reservation| reservation.lease.holder == *agent)
    }
}
