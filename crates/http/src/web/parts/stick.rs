//! The stick in a person's hands: taking it, keeping it, and handing it on.
//!
//! A lease's id is shown to whoever holds the lease and to nobody else, so these forms are there for the holder alone.

use baton_app::{commands::agent::Evidence, view::PathRoom};
use baton_core::{
    ids::{AgentId, RoomId},
    lease::Fence,
    room::{RoomState, TakeoverReason},
};
use maud::{Markup, html};

use super::{Names, ago, cli, until};
use crate::web::{form::Form, look::Look};

/// What whoever holds the stick can do with it, if it is who looks.
pub(in crate::web) fn in_hand(look: &Look<'_>, room: &PathRoom, names: &Names) -> Markup {
    let Some(lease) = room.lease_id.as_ref().filter(|_| look.may_act()) else { return html! {} };
    let form = |command, done: &str| {
        Form::of(command, done)
            .with("room_id", &room.room_id)
            .with("lease_id", lease)
            .with("expected_turn_id:int", room.turn_id)
    };
    let you = look.caller.actor().agent_id;
    let others: Vec<&AgentId> = room.members.iter().filter(|member| **member != you).collect();
    html! {
        div.tools {
            details.act {
                summary { "Release" }
                (form("stick.release", "Released the stick.").class("stack").body(look, html! {
                    (handoff_fields())
                    p { button.primary type="submit" { "Release to the next" } }
                }))
                (said(&look.command("release --status 'What was done' --next 'What to do first'", &room.room_id)))
            }
            @if !others.is_empty() {
                details.act {
                    summary { "Pass to…" }
                    (form("stick.pass", "Passed the stick.").class("stack").body(look, html! {
                        label { span { "To whom" } select name="to_agent_id" required {
                            @for agent in &others { option value=(agent) { (names.get(*agent).map_or(agent.as_str(), String::as_str)) } }
                        } }
                        (handoff_fields())
                        p { button.primary type="submit" { "Pass" } }
                    }))
                    (said(&look.command("pass --to NAME --status 'What was done' --next 'What to do first'", &room.room_id)))
                }
            }
            (form("stick.heartbeat", "The lease is renewed.").button(look, "Keep it longer"))
        }
    }
}

/// What a handoff is filled in with.
fn handoff_fields() -> Markup {
    html! {
        label { span { "What was done" } textarea name="handoff.status" rows="2" required {} }
        label { span { "What to do first" } textarea name="handoff.next_action" rows="2" required {} }
        details.more {
            summary { "Questions and limits" }
            label { span { "Open questions, one a line" } textarea name="handoff.open_questions[]" rows="2" {} }
            label { span { "What not to do, one a line" } textarea name="handoff.do_not[]" rows="2" {} }
        }
    }
}

/// The button that claims a stick which nobody has, or which is kept for who looks.
pub(in crate::web) fn claim(look: &Look<'_>, room: &PathRoom) -> Markup {
    let you = look.caller.actor().agent_id;
    let kept = room.reserved_for.as_ref();
    let open = kept == Some(&you) || kept.is_none() && matches!(room.state, RoomState::Idle | RoomState::Dormant);
    html! {
        @if open {
            (Form::of("stick.wait", "You asked for the stick.").with("room_id", &room.room_id).with("max_wait_ms:int", 0).button(look, "Take the stick"))
        }
    }
}

/// Taking over from somebody who does not move: what is known of them, and why one does.
pub(in crate::web) fn take_over(look: &Look<'_>, room: &RoomId, turn: Fence, evidence: Markup) -> Markup {
    if !look.may_act() {
        return html! {};
    }
    let form = Form::of("stick.takeover", "You hold the stick now. Read the last handoffs before you work.")
        .class("stack")
        .with("room_id", room)
        .with("expected_turn_id:int", turn);
    html! {
        details.act {
            summary { "Take over…" }
            (evidence)
            (form.body(look, html! {
                label { span { "Why, for the log" } input name="reason" required autocomplete="off"; }
                p { button.danger type="submit" { "Take over the stick" } }
            }))
            (said(&look.command(&format!("take --turn {turn} --reason 'Why'"), room)))
        }
    }
}

/// What shows that somebody does not move.
pub(in crate::web) fn evidence(look: &Look<'_>, evidence: &Evidence) -> Markup {
    let deadline = match evidence.basis {
        Some(TakeoverReason::ClaimTimeout | TakeoverReason::RecipientGone) => "First right to claim",
        Some(TakeoverReason::OwnerTimeout | TakeoverReason::OwnerGone) => "Lease",
        None => "Claim",
    };
    html! {
        dl.facts.evidence data-liveness=(super::liveness_word(&evidence.liveness)) {
            div { dt { "Seen" } dd { (evidence.words) @if let Some(pid) = evidence.pid { span.quiet { " (pid " (pid) ")" } } } }
            div { dt { (deadline) } dd { (until(look, evidence.lease_expires_at)) } }
            @if let Some(at) = evidence.last_seen_at { div { dt { "Last heard of" } dd { (ago(look, at)) } } }
        }
    }
}

/// The same on a command line.
pub(in crate::web) fn said(command: &str) -> Markup {
    html! { details.cli-of { summary { "As a command" } (cli(command)) } }
}
