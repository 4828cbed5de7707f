//! Messages. `drafts` has what they say, `sending` who gets one and whom it wakes, `ladder` how an item climbs, and
//! `property` what holds for any story.

mod drafts;
mod ladder;
mod property;
mod sending;

use super::{Draft, Urgency};
use crate::{event::Recorded, ids::AgentId, ids::Seq, lease::Fence, time::Timestamp};

fn agent(name: &str) -> AgentId {
    name.parse().unwrap()
}

/// An event at a place in the log, and a time that is the place too.
fn recorded(place: u64, by: &str, event: impl Into<crate::event::Event>) -> Recorded {
    Recorded {
        overridden: false,
        room_id: "room_1".parse().unwrap(),
        seq: Seq(place),
        at: Timestamp::from_millis(place as i64),
        actor: agent(by),
        turn: Fence(0),
        event: event.into(),
    }
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn handoff() -> Draft {
    Draft { subject: "Parser".to_owned(), summary: text("half done"), next_action: text("go on"), ..Draft::default() }
}

fn blocked() -> Draft {
    Draft {
        subject: "Schema".to_owned(),
        blocker: text("no access"),
        requested_action: text("grant it"),
        urgency: Some(Urgency::High),
        ..Draft::default()
    }
}

fn note() -> Draft {
    Draft { subject: "Names".to_owned(), body: text("snake case"), ..Draft::default() }
}
