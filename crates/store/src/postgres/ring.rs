//! Telling those who listen to a room that something was committed, and whom it is for.

use baton_core::{event::Concern, ids::RoomId};

use super::{
    pipeline::Step,
    statement::{Sql, Value},
};

/// The rooms to ring for, and whom for.
#[derive(Clone, Debug, Default)]
pub(super) struct Rings(Vec<(RoomId, Whom)>);

impl Rings {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn add(&mut self, room: &RoomId, concern: Concern<'_>) {
        let whom = Whom::of(concern);
        match self.0.iter_mut().find(|(known, _)| known == room) {
            Some((_, earlier)) => *earlier = std::mem::replace(earlier, Whom::Nobody).and(whom),
            None => self.0.push((room.clone(), whom)),
        }
    }

    /// What the server is asked to pass on.
    pub(super) fn steps(&self) -> impl Iterator<Item = Step> {
        self.0.iter().map(|(room, whom)| Step::Run {
            sql: Sql::plain(NOTIFY),
            values: vec![
                Value::Text(channel(room)),
                Value::Text(whom.to_text()),
                Value::Text(EVERYWHERE.to_owned()),
                Value::Text(room.to_string()),
            ],
        })
    }
}

const NOTIFY: &str = "SELECT pg_notify(?1, ?2), pg_notify(?3, ?4)";

/// The channel on which every room's notifications are, for whoever watches over the whole store.
pub(super) const EVERYWHERE: &str = "baton_everywhere";

/// The channel of a room's notifications. A room's id is too long for one.
pub(super) fn channel(room: &RoomId) -> String {
    // FNV-1a, which is the same in every build of every Baton; two rooms on one channel would only wake each other.
    let hash = room
        .as_str()
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("baton_{hash:016x}")
}

/// Whom a notification is for, in its own words.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Whom {
    Everyone,
    One(String),
    Nobody,
}

impl Whom {
    fn of(concern: Concern<'_>) -> Self {
        match concern {
            Concern::Everyone => Self::Everyone,
            Concern::One(agent) => Self::One(agent.to_string()),
            Concern::Nobody => Self::Nobody,
        }
    }

    /// Both in one.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (one, Self::Nobody) | (Self::Nobody, one) => one,
            (one, same) if one == same => one,
            _ => Self::Everyone,
        }
    }

    /// The text that travels. No agent's id begins with a star or a dash, and one that does wakes too many, which
    /// hurts nobody.
    fn to_text(&self) -> String {
        match self {
            Self::Everyone => "*".to_owned(),
            Self::One(agent) => agent.clone(),
            Self::Nobody => "-".to_owned(),
        }
    }
}
