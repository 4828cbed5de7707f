//! Who holds the stick, until when, and what is known of whether they are still there.

use baton_app::view::ProcessState;
use baton_core::{ids::AgentId, room::RoomState};
use maud::{Markup, html};

use super::sight::Sight;
use crate::web::{
    look::Look,
    parts::{Names, ago, process, process_word, state_badge, state_tone, stick, until},
};

pub(super) fn region(look: &Look<'_>, sight: &Sight) -> Markup {
    let (state, room) = (&sight.state, &sight.state.room);
    let awaited = room.owner.as_ref().or(room.reserved_for.as_ref());
    let member = awaited.and_then(|agent| sight.member(agent));
    let liveness = member.map_or(ProcessState::Unknown, |member| member.process);
    let owner = room.owner.as_ref().map_or("", |owner| owner.as_str());
    let members: Names =
        sight.state.members.iter().map(|one| (one.agent_id.clone(), one.display_name.clone())).collect();
    html! {
        section class={ "card holder " (state_tone(room.state)) } aria-labelledby="holder-title" data-holder=(owner) data-state=(room.state.as_str()) {
            div.holder-who {
                h2 id="holder-title" { "The stick" }
                p.big { (who(sight)) }
                p { (state_badge(room.state)) " " span.quiet { "turn " (room.turn_id) } }
            }
            dl.facts {
                @if let Some(since) = state.owned_since { div { dt { "Since" } dd { (ago(look, since)) } } }
                @if let Some(at) = room.lease_expires_at { div { dt { "Lease" } dd { (until(look, at)) } } }
                @if let Some(at) = room.claim_expires_at { div { dt { "First right to claim" } dd { (until(look, at)) } } }
                @if let Some(member) = member {
                    div { dt { "Process" } dd data-liveness=(process_word(liveness)) { (process(look, member)) } }
                    div { dt { "Last seen" } dd { (ago(look, member.last_seen_at)) } }
                }
                div { dt { "Takeover" } dd { (takeover(room.state)) } }
            }
            div.tools.yours {
                (stick::in_hand(look, room, &members)) (stick::claim(look, room))
                // What is known of whoever does not move stands above.
                @if is_open(room.state) { (stick::take_over(look, &room.room_id, room.turn_id, html! {})) }
            }
        }
    }
}

/// Whether the stick can be taken over.
const fn is_open(state: RoomState) -> bool {
    matches!(state, RoomState::StaleOwner | RoomState::OwnerGone | RoomState::RecipientGone)
}

/// Where the stick is, as a sentence.
fn who(sight: &Sight) -> Markup {
    let room = &sight.state.room;
    let you = |agent: &AgentId| if *agent == sight.you { " (you)" } else { "" };
    html! {
        @match (&room.owner, &room.reserved_for) {
            (Some(owner), _) => { (sight.agent(owner)) (you(owner)) " holds it" }
            (None, Some(next)) => { "Kept for " (sight.agent(next)) (you(next)) }
            (None, None) if room.state == RoomState::Closed => "The room is closed",
            (None, None) => "Nobody holds it",
        }
    }
}

/// Whether the stick can be taken over, and what it depends on.
const fn takeover(state: RoomState) -> &'static str {
    match state {
        RoomState::Owned => "not open: it opens when the lease runs out, or at once if the process is proven gone",
        RoomState::Reserved => {
            "not open: it opens when the first right to claim runs out, or at once if the process is proven gone"
        }
        RoomState::StaleOwner => "open: the lease ran out. The holder keeps it as long as nobody takes over",
        RoomState::OwnerGone => "open at once: there is proof that the holder's process is gone",
        RoomState::RecipientGone => "open at once: there is proof that the next holder's process is gone",
        RoomState::Idle => "not needed: whoever asks for the stick gets it",
        RoomState::Dormant => "not needed: whoever comes back goes on",
        RoomState::Closed => "closed rooms have no stick",
    }
}
