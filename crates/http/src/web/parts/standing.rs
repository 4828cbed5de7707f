//! How a room's stick and its members stand, in words.

use baton_app::view::{PathRoom, ProcessState, RoomMember};
use baton_core::{
    agent::Presence,
    process::{Liveness, Proof},
    room::RoomState,
};
use maud::{Markup, html};

use super::{ago, until};
use crate::web::look::Look;

/// Where a room's stick is, in a few words.
const fn state_words(state: RoomState) -> &'static str {
    match state {
        RoomState::Idle => "the stick is free",
        RoomState::Owned => "held",
        RoomState::Reserved => "kept for the next holder",
        RoomState::StaleOwner => "lease over, open to takeover",
        RoomState::OwnerGone => "holder is gone, open to takeover",
        RoomState::RecipientGone => "next holder is gone, open to takeover",
        RoomState::Dormant => "nobody is here",
        RoomState::Closed => "closed",
    }
}

/// What a state is like, for its colour.
pub(in crate::web) const fn state_tone(state: RoomState) -> &'static str {
    match state {
        RoomState::Owned => "good",
        RoomState::Reserved => "talk",
        RoomState::StaleOwner | RoomState::OwnerGone | RoomState::RecipientGone => "alarm",
        RoomState::Idle | RoomState::Dormant | RoomState::Closed => "quiet",
    }
}

/// A room's state as a badge.
pub(in crate::web) fn state_badge(state: RoomState) -> Markup {
    html! { span class={ "badge " (state_tone(state)) } data-state=(state.as_str()) { (state_words(state)) } }
}

/// Until when the stick is held, or kept: the server's own deadline, which a browser counts down to.
pub(in crate::web) fn deadline(look: &Look<'_>, room: &PathRoom) -> Option<Markup> {
    room.lease_expires_at.or(room.claim_expires_at).map(|at| until(look, at))
}

/// How present a member is, as a dot. The word is in its title and for readers of screens.
pub(in crate::web) fn presence_dot(presence: Presence) -> Markup {
    html! {
        span class={ "presence " (presence.as_str()) } title=(presence.as_str()) { span.hidden { "(" (presence.as_str()) ")" } }
    }
}

/// What can be seen of a member's process, with the evidence.
pub(in crate::web) fn process(look: &Look<'_>, member: &RoomMember) -> Markup {
    html! {
        @match member.process {
            ProcessState::Alive => { "alive" }
            ProcessState::Gone => { "gone" @if let Some(proof) = member.proof { ": " (proof_words(proof)) } }
            ProcessState::Unknown if member.pid.is_some() => { "unknown: it cannot be seen from here, so the timings decide" }
            ProcessState::Unknown => { "unknown: it told of no process, so the timings decide" }
        }
        @if let Some(pid) = member.pid {
            span.quiet { " (pid " (pid) @if let Some(began) = member.process_started_at { ", started " (ago(look, began)) } ")" }
        }
    }
}

/// Why a process is certainly gone.
pub(in crate::web) const fn proof_words(proof: Proof) -> &'static str {
    match proof {
        Proof::Exited => "no process has its pid",
        Proof::Zombie => "it has exited and only waits to be reaped",
        Proof::PidReused => "its pid belongs to a process that started later",
        Proof::Rebooted => "its machine has booted since",
    }
}

/// A process in one word.
pub(in crate::web) const fn process_word(process: ProcessState) -> &'static str {
    match process {
        ProcessState::Alive => "alive",
        ProcessState::Gone => "gone",
        ProcessState::Unknown => "unknown",
    }
}

/// What is seen of a process, in one word.
pub(in crate::web) const fn liveness_word(liveness: &Liveness) -> &'static str {
    match liveness {
        Liveness::Alive => "alive",
        Liveness::Gone(_) => "gone",
        Liveness::Unknown => "unknown",
    }
}
