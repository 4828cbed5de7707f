//! One event of the log: in words, and as it is stored.

use baton_app::{
    Failure,
    commands::room::{Events, EventsInput},
    view::RoomEvent,
    wording,
};
use baton_core::ids::Seq;
use maud::{Markup, html};

use super::{
    facts::{facts, refs},
    page::View,
};
use crate::web::{
    look::nothing_called,
    parts::{ago, copy, handoff, prose, sentence, tone},
};

/// The event at a place, and whether there is one after it.
pub(super) fn find(view: &View<'_>, seq: Seq) -> Result<(RoomEvent, bool), Failure> {
    let after = Some(Seq(seq.0.saturating_sub(1)));
    let input = EventsInput { after, limit: Some(1), ..EventsInput::in_room(view.room()) };
    let found = view.look.ask::<Events>(input)?;
    let event = found.events.into_iter().find(|event| event.event_seq == seq);
    Ok((event.ok_or_else(|| nothing_called(&seq.to_string()))?, found.has_more))
}

pub(super) fn shown(view: &View<'_>, event: &RoomEvent) -> Markup {
    let particulars = event.protocol.as_ref().map(wording::particulars).unwrap_or_default();
    html! {
        article class={ "card " (tone(event)) } {
            h2 { (sentence(view.room(), &view.sight.names, event)) }
            @if let Some(said) = wording::said(event) { (prose(said)) }
            @if !particulars.is_empty() { dl.handoff { @for (name, text) in &particulars { div { dt { (name) } dd { (prose(text)) } } } } }
            @if let Some(given) = &event.handoff { (handoff(view.room(), given)) }
            (facts(&[
                ("When", Some(ago(view.look, event.created_at))),
                ("Kind", Some(html! { code { (event.event_type) } })),
                ("Turn", Some(html! { (event.turn_id) })),
                ("Points to", refs(view, &event.refs)),
            ]))
        }
    }
}

/// The event as JSON, open.
pub(super) fn stored(event: &RoomEvent) -> Markup {
    let json = serde_json::to_string_pretty(event).unwrap_or_else(|error| error.to_string());
    html! { section.content aria-labelledby="stored-title" { h2 id="stored-title" { "As it is stored" (copy(&json, "JSON")) } pre tabindex="0" { code { (json) } } } }
}

pub(super) fn turning(view: &View<'_>, seq: Seq, is_more: bool) -> Markup {
    let to = |seq: u64| view.look.at.with(&[("ref", &format!("log@{seq}"))]);
    html! {
        nav.turning aria-label="Other events" {
            @if seq.0 > 1 { a.button href=(to(seq.0 - 1)) rel="prev" { "Event before" } }
            @if is_more { a.button href=(to(seq.0 + 1)) rel="next" { "Event after" } }
        }
    }
}
