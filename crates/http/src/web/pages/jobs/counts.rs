//! How many jobs there are, by what they need and by how far they are. Each number is a filter.

use baton_app::commands::jobs::{OverviewCounts, OverviewRoom};
use baton_core::job::{Marker, Status};
use maud::{Markup, html};

use super::filter::{ALL, CURSOR, Filter};
use crate::web::{
    at::path,
    look::Look,
    parts::{cli, room_name},
};

/// What a marker means, for whoever looks.
pub(in crate::web::pages) const fn words(marker: Marker) -> &'static str {
    match marker {
        Marker::Error => "met an error",
        Marker::Question => "asks you",
        Marker::Proof => "lacks proof",
        Marker::Stale => "lost its runner",
    }
}

/// How it is coloured.
pub(in crate::web::pages) const fn tone(marker: Marker) -> &'static str {
    match marker {
        Marker::Error => "alarm",
        Marker::Question | Marker::Proof => "ask",
        Marker::Stale => "quiet",
    }
}

/// A marker with what it means.
pub(in crate::web::pages) fn badge(marker: Marker) -> Markup {
    html! { span class={ "badge marker " (tone(marker)) } { b { (marker.sign()) } " " (words(marker)) } }
}

/// What needs somebody, and how far all of them are.
pub(super) fn chips(look: &Look<'_>, filter: &Filter, counts: &OverviewCounts) -> Markup {
    let to = |status: &str, marker: &str| {
        look.at.with(&[("status", status), ("marker", marker), ("sort", ""), (CURSOR, "")])
    };
    let chosen = &filter.input;
    let plain = chosen.status.is_none() && chosen.marker.is_none();
    let needs: u64 = Marker::ALL.iter().map(|marker| counts.of_marker(*marker)).sum();
    html! {
        h2.hidden { "How many" }
        ul.chips aria-label="By what they need" {
            @for marker in Marker::ALL {
                @let count = counts.of_marker(*marker);
                li {
                    a class={ "chip " (tone(*marker)) } href=(to("", marker.as_str())) data-count=(marker)
                        aria-current=[(chosen.marker == Some(*marker)).then_some("true")] data-none[count == 0] {
                        b { (marker.sign()) } " " (words(*marker)) " " span.number { (number(count, counts)) }
                    }
                }
            }
            @if needs == 0 { li.quiet { "Nothing needs you." } }
        }
        ul.chips aria-label="By how far they are" {
            li { a.chip href=(to("", "")) aria-current=[(plain && !filter.shows_all()).then_some("true")] { "Not over" " " span.number { (number(counts.queued + counts.running, counts)) } } }
            @for status in Status::ALL {
                @let count = counts.of_status(*status);
                li {
                    a.chip href=(to(status.as_str(), "")) data-count=(status)
                        aria-current=[(chosen.status == Some(*status)).then_some("true")] data-none[count == 0] {
                        (status_words(*status)) " " span.number { (number(count, counts)) }
                    }
                }
            }
            li { a.chip href=(to(ALL, "")) aria-current=[(plain && filter.shows_all()).then_some("true")] { "All" } }
        }
    }
}

/// How far a job is, in a word.
pub(in crate::web::pages) const fn status_words(status: Status) -> &'static str {
    match status {
        Status::Queued => "Queued",
        Status::Running => "Running",
        Status::Done => "Done",
        Status::Failed => "Failed",
        Status::Canceled => "Canceled",
    }
}

/// What is counted no further says so.
fn number(count: u64, counts: &OverviewCounts) -> String {
    if count >= counts.counted_to { format!("{count}+") } else { count.to_string() }
}

/// Where jobs wait and nobody does them: how to begin.
pub(super) fn bootstrap(rooms: &[OverviewRoom]) -> Markup {
    html! {
        @for room in rooms {
            @if let Some(command) = &room.cmd {
                div.notice data-bootstrap=(room.room_id) {
                    p {
                        strong { "Jobs wait, and no runner is there" }
                        " in " a href=(path(&["rooms", room.room_id.as_str()])) { bdi { (room_name(room.name.as_deref(), room.canonical_path.as_deref(), &room.room_id)) } } "."
                    }
                    p { "Start one in a terminal: " (cli(command)) }
                }
            }
        }
    }
}
