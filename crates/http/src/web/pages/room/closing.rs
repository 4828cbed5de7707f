//! What concerns the room as a whole: its name, and its end.

use maud::{Markup, html};

use super::sight::Sight;
use crate::web::{form::Form, look::Look, parts::cli};

pub(super) fn region(look: &Look<'_>, sight: &Sight) -> Markup {
    let room = &sight.state.room;
    let name = html! {
        label { span { "Name" } input name="name" required value=[room.name.as_deref()]; }
        p { button type="submit" { "Give it this name" } }
        (cli(&look.store_command(&format!("bus rename --session {} \"…\"", room.room_id))))
    };
    let close = html! {
        p { "The log stays readable. Joining the same workspace again opens a fresh room. While the stick is held, only its holder may close." }
        label { span { "Why" } input name="reason"; }
        p { button.danger type="submit" { "Close the room" } }
        (cli(&look.command(&format!("room close --turn {} --reason \"…\"", room.turn_id), sight.id())))
    };
    let rename = Form::of("session.update", "The room has a name.").class("stack").with("room_id", &room.room_id);
    let closing = Form::of("room.close", "The room is closed.").class("stack").with("room_id", &room.room_id);
    let closing = closing.with("expected_turn_id:int", room.turn_id);
    let closing = match &room.lease_id {
        Some(lease) => closing.with("lease_id", lease),
        None => closing,
    };
    html! {
        @if sight.is_open() && look.may_act() {
            section.card aria-labelledby="close-title" {
                h2 id="close-title" { "This room" }
                details.act { summary { "Rename" } (rename.body(look, name)) }
                details.act { summary { "Close the room" } (closing.body(look, close)) }
            }
        }
    }
}
