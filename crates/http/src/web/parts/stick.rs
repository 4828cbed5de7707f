//! What a person does with the stick: take it, take it over, and hand it on.

use baton_app::commands::room::GetRoomStateResult;
use baton_core::room::RoomState;
use maud::{Markup, html};

use super::{Names, until};
use crate::web::{form::Form, look::Look};

/// What whoever looks can do with the stick as it is now.
pub(in crate::web) fn stick(look: &Look<'_>, state: &GetRoomStateResult, names: &Names) -> Markup {
    let room = &state.room;
    let yours = room.owner.as_ref() == Some(&look.caller.actor().agent_id);
    match room.state {
        _ if !look.may_act() => html! {},
        RoomState::Owned if yours => hand_on(look, state, names),
        RoomState::Idle | RoomState::Dormant => take(look, state),
        RoomState::StaleOwner | RoomState::OwnerGone | RoomState::RecipientGone => take_over(look, state),
        RoomState::Owned | RoomState::Reserved | RoomState::Closed => html! {},
    }
}

/// Takes up a stick that is free.
fn take(look: &Look<'_>, state: &GetRoomStateResult) -> Markup {
    Form::of("stick.wait", "The stick is yours, if nobody was faster.")
        .with("room_id", &state.room.room_id)
        .with("max_wait_ms:int", 0)
        .button(look, "Take the stick")
}

fn take_over(look: &Look<'_>, state: &GetRoomStateResult) -> Markup {
    let form = Form::of("stick.takeover", "You hold the stick now.")
        .with("room_id", &state.room.room_id)
        .with("expected_turn_id:int", state.room.turn_id);
    let body = html! {
        label { span { "Why you take over" } input name="reason" required autocomplete="off"; }
        button.primary type="submit" { "Take over the stick" }
    };
    html! { details.act { summary.button { "Take over…" } (form.class("stack").body(look, body)) } }
}

/// Passes the stick that you hold to somebody, or releases it to whoever is next. Nobody else is told its lease.
pub(in crate::web) fn hand_on(look: &Look<'_>, state: &GetRoomStateResult, names: &Names) -> Markup {
    let room = &state.room;
    let Some(lease) = &room.lease_id else { return html! {} };
    let form = |command: &'static str, done: &str| {
        Form::of(command, done)
            .class("stack")
            .with("room_id", &room.room_id)
            .with("lease_id", lease)
            .with("expected_turn_id:int", room.turn_id)
    };
    let you = look.caller.actor().agent_id;
    html! {
        @if let Some(at) = room.lease_expires_at { p { "Your lease: " (until(look, at)) } }
        details.act { summary.button.primary { "Release…" }
            (form("stick.release", "You released the stick.").body(look, html! { (handoff()) button.primary type="submit" { "Release to whoever is next" } })) }
        details.act { summary.button { "Pass…" }
            (form("stick.pass", "You passed the stick.").body(look, html! {
                label { span { "To" } select name="to_agent_id" required {
                    @for (id, name) in names.iter().filter(|(id, _)| **id != you) { option value=(id) { (name) } }
                } }
                (handoff())
                button.primary type="submit" { "Pass it" }
            })) }
    }
}

fn handoff() -> Markup {
    html! {
        label { span { "What was done, and learned" } textarea name="handoff.status" rows="2" required {} }
        label { span { "What to do first" } textarea name="handoff.next_action" rows="2" required {} }
        label { span { "Open questions, one a line" } textarea name="handoff.open_questions[]" rows="2" {} }
        label { span { "What is off-limits, one a line" } textarea name="handoff.do_not[]" rows="2" {} }
    }
}
