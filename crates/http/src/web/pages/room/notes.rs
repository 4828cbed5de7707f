//! Remarks that change no ownership, and the form to leave one.

use baton_app::view::RoomEvent;
use maud::{Markup, html};

use super::{events::Events, sight::Sight, timeline::cut};
use crate::web::{
    form::Form,
    look::Look,
    parts::{ago, cli, reference},
};

/// Notes that are shown beside the timeline.
const SHOWN: usize = 5;

pub(super) fn region(look: &Look<'_>, sight: &Sight, events: &Events) -> Markup {
    let notes: Vec<&RoomEvent> = events.newest.iter().filter(|event| event.event_type == "note").take(SHOWN).collect();
    html! {
        section.card aria-labelledby="notes-title" {
            h2 id="notes-title" { "Notes" }
            @if notes.is_empty() { p.quiet { "None lately. A note is a remark for all: it wakes nobody." } }
            ul.notes role="list" {
                @for note in &notes {
                    li id={ "note-" (note.event_seq) } data-row {
                        (cut(sight, note, note.note.as_deref().unwrap_or_default()))
                        p.quiet {
                            @if let Some(by) = &note.from_agent_id { (sight.agent(by)) ", " }
                            (ago(look, note.created_at)) " " (reference(sight.id(), &format!("notes@{}", note.event_seq)))
                        }
                    }
                }
            }
            p.quiet { a href=(look.at.with(&[("show", "notes"), ("before", ""), ("after", "")])) { "All notes, in the timeline" } }
            @if sight.is_open() { (form(look, sight)) }
        }
    }
}

fn form(look: &Look<'_>, sight: &Sight) -> Markup {
    let body = html! {
        label { span { "A note" } textarea name="text" rows="2" required {} }
        p { button type="submit" { "Leave the note" } }
        (cli(&look.command("room note \"…\"", sight.id())))
    };
    Form::of("room.note", "The note is in the log.").class("stack").with("room_id", sight.id()).body(look, body)
}
