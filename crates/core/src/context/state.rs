//! The brief that is in force.

use super::{Brief, BriefSet, Event};
use crate::{
    event::{self, Recorded},
    ids::{AgentId, Seq},
    part::{Part, Rows, Touched},
    room::Room,
    time::Timestamp,
};

/// A brief, and who said so when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    /// What.
    pub brief: Brief,
    /// Its event, which is its revision.
    pub seq: Seq,
    /// Who.
    pub by: AgentId,
    /// When.
    pub at: Timestamp,
}

impl Part for Stated {
    /// A room has one brief.
    type Key = ();

    fn key(&self) {}

    fn touched(event: &Recorded, _before: &Room) -> Touched<()> {
        match &event.event {
            event::Event::Context(Event::BriefSet(_)) => Touched::row(()),
            _ => Touched::Nothing,
        }
    }

    fn apply(rows: &mut Rows<Self>, event: &Recorded, _before: &Room) {
        let event::Event::Context(Event::BriefSet(BriefSet { brief })) = &event.event else { return };
        rows.put(Self { brief: brief.clone(), seq: event.seq, by: event.actor.clone(), at: event.at });
    }
}
