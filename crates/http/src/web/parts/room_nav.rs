//! The pages of a room, at the top of each of them.

use baton_core::ids::RoomId;
use maud::{Markup, html};

use crate::web::at::path;

/// A page of a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::web) enum RoomPage {
    Room,
    Graph,
    Jobs,
    /// One of its agents, or something that it keeps.
    Other,
}

/// Links to a room's pages, and to the parts of the one that is shown.
pub(in crate::web) fn room_nav(room: &RoomId, here: RoomPage, parts: &[(&str, &str)]) -> Markup {
    let pages = [
        (RoomPage::Room, "Room", path(&["rooms", room.as_str()])),
        (RoomPage::Graph, "Graph", path(&["rooms", room.as_str(), "graph"])),
        (RoomPage::Jobs, "Jobs", path(&["rooms", room.as_str(), "jobs"])),
    ];
    html! {
        nav.subnav aria-label="This room" {
            ul.pages { @for (page, name, address) in &pages { li { a href=(address) aria-current=[(*page == here).then_some("page")] { (name) } } } }
            @if !parts.is_empty() { ul.parts { @for (id, name) in parts { li { a href={ "#" (id) } { (name) } } } } }
        }
    }
}
