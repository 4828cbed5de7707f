//! The brief that is in force.

use super::{Brief, BriefSet, Event};
use crate::{
    event::{self, Recorded},
    ids::{AgentId, Seq},
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

/// The context of a room, as folding its log gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// What the room is for, once somebody said so.
    pub brief: Option<Stated>,
}

impl Context {
    /// Folds an event that was decided on. Events of other parts change nothing.
    pub fn apply(&mut self, recorded: &Recorded) {
        let event::Event::Context(Event::BriefSet(BriefSet { brief })) = &recorded.event else { return };
        let (seq, by, at) = (recorded.seq, recorded.actor.clone(), recorded.at);
        self.brief = Some(Stated { brief: brief.clone(), seq, by, at });
    }
}
