//! The feed: what happens, as it happens, beside every page; and the strip that it shrinks to.

use baton_app::{
    commands::room::{RecentEvent, RecentResult, RecentRoom},
    wording,
};
use baton_core::ids::RoomId;
use maud::{Markup, html};

use super::{Names, ago, room_name, sentence, tone};
use crate::web::{at::path, look::Look};

/// What happened last, in a room or anywhere.
pub(in crate::web) fn feed(look: &Look<'_>, recent: &RecentResult, here: Option<&RoomId>) -> Markup {
    html! {
        h2 { "What happens" @if here.is_some() { " here" } }
        @if recent.events.is_empty() {
            p.quiet { "Nothing yet. It begins with " code { "baton join" } " in a workspace, or with an agent that joins." }
        }
        ol.feed reversed role="list" {
            @for event in &recent.events { (row(look, event, room_of(recent, &event.room_id), here.is_none())) }
        }
        ol.dots aria-hidden="true" {
            @for event in &recent.events { li { span class={ "dot " (tone(&event.event)) } title=(event.event.event_type) {} } }
        }
    }
}

fn room_of<'a>(recent: &'a RecentResult, id: &RoomId) -> Option<&'a RecentRoom> {
    recent.rooms.iter().find(|room| room.room_id == *id)
}

fn row(look: &Look<'_>, recent: &RecentEvent, room: Option<&RecentRoom>, say_where: bool) -> Markup {
    let RecentEvent { room_id, event } = recent;
    let (none, known) = (Names::new(), room.map(|room| &room.names));
    let said = wording::said(event);
    html! {
        li id={ "feed-" (room_id) "-" (event.event_seq) } class=(tone(event)) {
            span class={ "dot " (tone(event)) } aria-hidden="true" {}
            div {
                p { (sentence(room_id, known.unwrap_or(&none), event)) @if let Some(said) = said { ": " span.said dir="auto" { (said) } } }
                p.quiet {
                    (ago(look, event.created_at))
                    @if say_where && let Some(room) = room {
                        " in " a href=(path(&["rooms", room_id.as_str()])) { bdi { (room_name(room.name.as_deref(), room.canonical_path.as_deref(), room_id)) } }
                    }
                }
            }
        }
    }
}
