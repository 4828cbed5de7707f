//! What happened, by turns, in sentences; with what was handed over and said, and what is stored one click behind.

use baton_app::{view::RoomEvent, wording};
use baton_core::{handoff::Handoff, ids::Seq, lease::Fence, room::TakeoverReason};
use maud::{Markup, html};

use super::{
    events::{Events, Show},
    sight::Sight,
    turns::{Turn, turns},
};
use crate::web::{
    at::path_with,
    look::Look,
    parts::{ago, empty, handoff, proof_words, sentence, tone},
};

/// Handoffs on one page, in bytes; what is beyond is a link.
const HANDOFF_BYTES: usize = 48 * 1024;
/// How much of a text is shown in a row.
const TEXT_CHARS: usize = 700;

pub(super) fn region(look: &Look<'_>, sight: &Sight, events: &Events) -> Markup {
    let known = turns(sight, &events.seen);
    let mut room_for_handoffs = HANDOFF_BYTES;
    html! {
        section.timeline aria-labelledby="timeline-title" {
            div.head {
                h2 id="timeline-title" { "Timeline" }
                nav.filters aria-label="What the timeline shows" { (filters(look, events.show)) }
            }
            @if events.shown.is_empty() {
                (empty("Nothing of this sort", html! {
                    p { "Looked through " (events.seen.len()) " events. " a href=(look.at.with(&[("show", ""), ("before", ""), ("after", "")])) { "Show all" } }
                }))
            }
            @for of_turn in events.shown.chunk_by(|one, other| one.turn_id == other.turn_id) {
                @let turn = of_turn[0].turn_id;
                section.turn id={ "turn-" (turn) "-" (of_turn[of_turn.len() - 1].event_seq) } data-turn=(turn) {
                    (heading(look, sight, turn, known.get(&turn)))
                    ol.events reversed role="list" {
                        @for event in of_turn { (row(look, sight, event, &mut room_for_handoffs)) }
                    }
                }
            }
            (turning(look, events))
        }
    }
}

fn filters(look: &Look<'_>, here: Show) -> Markup {
    let address = |show: Show| {
        let word = if show == Show::All { "" } else { show.as_str() };
        look.at.with(&[("show", word), ("before", ""), ("after", "")])
    };
    html! { ul { @for show in Show::EACH { li { a href=(address(show)) aria-current=[(show == here).then_some("true")] { (show.label()) } } } } }
}

/// Whose turn it was, from when to when.
fn heading(look: &Look<'_>, sight: &Sight, fence: Fence, turn: Option<&Turn>) -> Markup {
    let holder = turn.and_then(|turn| turn.holder.as_ref());
    let (began, ended) = (turn.and_then(|turn| turn.began), turn.and_then(|turn| turn.ended));
    html! {
        h3 {
            @if fence.0 == 0 { "Before the first turn" } @else { "Turn " (fence) }
            @if let Some(holder) = holder { ": " (sight.agent(holder)) }
        }
        p.quiet {
            @if let Some(began) = began { "from " (ago(look, began)) }
            @if let (Some(began), Some(ended)) = (began, ended) { " to " (ago(look, ended)) ", held for " (ended.since(began)) }
            @else if let Some(ended) = ended { "until " (ago(look, ended)) }
            @else if holder.is_some() && sight.state.room.turn_id == fence && sight.state.room.owner.is_some() { ", goes on" }
        }
    }
}

fn row(look: &Look<'_>, sight: &Sight, event: &RoomEvent, room_for_handoffs: &mut usize) -> Markup {
    let apart = matches!(event.event_type.as_str(), "INCURSION" | "RESUME");
    let said = wording::said(event);
    html! {
        li class={ (tone(event)) @if apart { " protocol-row" } } id={ "ev-" (event.event_seq) } data-seq=(event.event_seq) data-type=(event.event_type) data-row {
            span class={ "dot " (tone(event)) } aria-hidden="true" {}
            div.told {
                p.sentence { (sentence(sight.id(), &sight.names, event)) }
                @if let Some(said) = said { (cut(sight, event, said)) }
                @if let Some(protocol) = &event.protocol { (particulars(sight, event, &wording::particulars(protocol))) }
                @if let Some(basis) = event.basis { p.quiet { "because " (basis_words(basis)) @if let Some(proof) = event.proof { ": " (proof_words(proof)) } } }
                @if let Some(given) = &event.handoff { (handed(sight, event.event_seq, given, room_for_handoffs)) }
            }
            p.quiet.when { (ago(look, event.created_at)) a.seq href=(raw_address(sight, event.event_seq)) title="This event as it is stored" { "#" (event.event_seq) } }
        }
    }
}

/// The event as JSON, on a page of its own: a row of the timeline stays small.
fn raw_address(sight: &Sight, seq: Seq) -> String {
    path_with(&["rooms", sight.id().as_str(), "open"], &[("ref", &format!("log@{seq}"))])
}

const fn basis_words(basis: TakeoverReason) -> &'static str {
    match basis {
        TakeoverReason::ClaimTimeout => "it was not claimed in time",
        TakeoverReason::OwnerTimeout => "the lease ran out",
        TakeoverReason::OwnerGone => "the holder's process was gone",
        TakeoverReason::RecipientGone => "the next holder's process was gone",
    }
}

/// A text, or its beginning with a link to all of it.
pub(super) fn cut(sight: &Sight, event: &RoomEvent, text: &str) -> Markup {
    match text.char_indices().nth(TEXT_CHARS) {
        Some((end, _)) => html! {
            p.said.prose dir="auto" { (text[..end]) "…" }
            p.quiet { a href=(raw_address(sight, event.event_seq)) { "All of it" } }
        },
        None => html! { p.said.prose dir="auto" { (text) } },
    }
}

fn particulars(sight: &Sight, event: &RoomEvent, parts: &[(&'static str, String)]) -> Markup {
    html! {
        @if !parts.is_empty() {
            dl.particulars { @for (name, text) in parts { div { dt { (name) } dd { (cut(sight, event, text)) } } } }
        }
    }
}

fn handed(sight: &Sight, seq: Seq, given: &Handoff, room_left: &mut usize) -> Markup {
    let bytes = serde_json::to_string(given).map_or(usize::MAX, |json| json.len());
    let fits = bytes <= *room_left;
    *room_left = room_left.saturating_sub(bytes);
    html! {
        @if fits { details.handed { summary { "Handoff: " span dir="auto" { (beginning(&given.next_action)) } } (handoff(sight.id(), given)) } }
        @else { p { a href=(raw_address(sight, seq)) { "Read the handoff" } } }
    }
}

/// The first words of a text.
fn beginning(text: &str) -> String {
    const CHARS: usize = 90;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn turning(look: &Look<'_>, events: &Events) -> Markup {
    let older = events.older.map(|seq| look.at.with(&[("before", &seq.to_string()), ("after", "")]));
    let newer = events.newer.map(|seq| look.at.with(&[("after", &seq.to_string()), ("before", "")]));
    html! {
        @if older.is_some() || newer.is_some() {
            nav.turning aria-label="Other parts of the log" {
                @if let Some(newer) = newer {
                    a.button href=(look.at.with(&[("before", ""), ("after", "")])) { "Newest" }
                    a.button href=(newer) rel="prev" { "Newer" }
                }
                @if let Some(older) = older { a.button href=(older) rel="next" { "Older" } }
            }
        }
    }
}
