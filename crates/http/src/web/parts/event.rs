//! Events in words, with links to whom and what they name.

use baton_app::{
    view::RoomEvent,
    wording::{self, Piece},
};
use baton_core::ids::RoomId;
use maud::{Markup, html};

use super::{Names, agent, reference};

/// What happened, as a sentence.
pub(in crate::web) fn sentence(room: &RoomId, names: &Names, event: &RoomEvent) -> Markup {
    html! { @for piece in wording::sentence(event) { (shown(room, names, &piece)) } }
}

fn shown(room: &RoomId, names: &Names, piece: &Piece) -> Markup {
    match piece {
        Piece::Words(words) => html! { (words) },
        Piece::Agent(id) => agent(room, names, id),
        Piece::Id(id) => agent(room, &Names::default(), id),
        Piece::Named(name) => match names.iter().find(|(_, known)| *known == name) {
            Some((id, _)) => agent(room, names, id),
            None => html! { b { bdi { (name) } } },
        },
        Piece::Ref(text) => reference(room, text),
        Piece::Scope(scope) => html! { code { bdi { (scope) } } },
        Piece::Label(label) => html! { span.label { (label) } },
    }
}

/// What an event is like, for its colour: `alarm`, `ask`, `stick`, `good`, `talk` or `quiet`.
pub(in crate::web) fn tone(event: &RoomEvent) -> &'static str {
    match event.event_type.as_str() {
        "INCURSION" | "takeover" | "job.error" | "job.failed" => "alarm",
        "BLOCKED" | "job.question" | "job.proof_gate" | "spawn.request" => "ask",
        "claim" | "release" | "pass" => "stick",
        "HANDOFF" | "DECISION" | "INFO" | "RESUME" | "tell" | "note" | "envelope.send" | "job.manager"
        | "message.create" | "action.submit" => "talk",
        "accept" | "job.completed" | "task.done" | "spawn.approve" => "good",
        _ => "quiet",
    }
}
