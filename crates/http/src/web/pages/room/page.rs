//! The parts of the page, in the order in which they are read on a narrow screen.

use baton_app::Failure;
use maud::{Markup, html};

use super::{
    brief, closing, events::Events, holder, members, messages, notes, policy, scopes, sight::Sight, tasks, timeline,
};
use crate::web::{
    look::Look,
    page::{Page, Place, Region},
    parts::{RoomPage, copy, handoff, room_nav},
};

/// The parts that the navigation leads to.
const PARTS: [(&str, &str); 8] = [
    ("region-members", "Members"),
    ("region-timeline", "Timeline"),
    ("region-messages", "Messages"),
    ("region-notes", "Notes"),
    ("region-tasks", "Tasks"),
    ("region-scopes", "Scopes"),
    ("region-brief", "Brief"),
    ("region-policy", "Policy"),
];

/// `GET /rooms/{room}`
pub(in crate::web::pages) fn page(look: &Look<'_>) -> Result<Page, Failure> {
    let sight = Sight::of(look)?;
    let events = Events::of(look, &sight)?;
    let room = &sight.state.room;
    Ok(Page::new(sight.name(), Place::Rooms)
        .of(&room.room_id)
        .lead(lead(&sight))
        .region(Region::new("pages", room_nav(&room.room_id, RoomPage::Room, &PARTS)))
        .region(Region::new("holder", holder::region(look, &sight)))
        .region(Region::new("handoff", handed_over(&sight)))
        .region(Region::new("members", members::region(look, &sight)))
        .region(Region::new("messages", messages::region(look, &sight)?))
        .region(Region::new("timeline", timeline::region(look, &sight, &events)))
        .region(Region::new("notes", notes::region(look, &sight, &events)))
        .region(Region::new("tasks", tasks::region(look, &sight)?))
        .region(Region::new("scopes", scopes::region(look, &sight)?))
        .region(Region::new("brief", brief::region(look, &sight)?))
        .region(Region::new("policy", policy::region(look, &sight)?))
        .region(Region::new("close", closing::region(look, &sight))))
}

/// Where the room is, and what it is called elsewhere.
fn lead(sight: &Sight) -> Markup {
    let room = &sight.state.room;
    html! {
        p.quiet {
            @if let Some(place) = &room.canonical_path { code { bdi { (place) } } (copy(place, "path")) " " }
            code { (room.room_id) } (copy(room.room_id.as_str(), "room id"))
        }
    }
}

/// The handoff that waits for the next holder, or the one that this turn began with.
fn handed_over(sight: &Sight) -> Markup {
    let state = &sight.state;
    let waits = state.room.pending_handoff_event_seq.is_some();
    html! {
        section.card aria-labelledby="handoff-title" {
            h2 id="handoff-title" { "Handoff" }
            @match &state.handoff {
                Some(given) => {
                    p.quiet {
                        @if let Some(from) = &state.handoff_from { "From " (sight.agent(from)) ". " }
                        @if waits { "It waits for the next holder." } @else { "This turn began with it." }
                    }
                    (handoff(&state.room.room_id, given))
                }
                None => p.quiet { "Nothing was handed over yet. Whoever lets the stick go says what is done, what is next and where to look." },
            }
        }
    }
}
