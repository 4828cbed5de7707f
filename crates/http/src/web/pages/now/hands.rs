//! What is in the hands of who looks: sticks that they hold, here or at a terminal of theirs, and those kept for them.

use baton_app::commands::room::RoomGlance;
use baton_core::{agent::user_of, ids::AgentId};
use maud::{Markup, html};

use crate::web::{
    at::path,
    look::Look,
    parts::{Names, cli, deadline, room_name, stick},
};

pub(super) fn region(look: &Look<'_>, open: &[RoomGlance]) -> Markup {
    let actor = look.caller.actor();
    let user = user_of(&actor.agent_id, actor.sender_kind());
    let you = actor.agent_id.clone();
    let kind = |glance: &RoomGlance, agent: &AgentId| {
        glance.agents.iter().find(|known| known.agent_id == *agent).and_then(|known| known.session_kind)
    };
    // Whichever terminal they are at: the room has on record who is a person.
    let own = |glance: &RoomGlance, agent: &AgentId| {
        *agent == you || (user.is_some() && user_of(agent, kind(glance, agent)) == user)
    };
    let held: Vec<_> = open
        .iter()
        .filter_map(|glance| {
            let holder = glance.room.owner.as_ref().or(glance.room.reserved_for.as_ref());
            holder.filter(|agent| own(glance, agent)).map(|as_whom| (glance, as_whom.clone()))
        })
        .collect();
    html! {
        @if !held.is_empty() {
            h2 { "In your hands" }
            div.cards { @for (glance, as_whom) in &held { (card(look, glance, as_whom, &you)) } }
        }
    }
}

fn card(look: &Look<'_>, glance: &RoomGlance, as_whom: &AgentId, you: &AgentId) -> Markup {
    let RoomGlance { room, agents } = glance;
    let names: Names = agents.iter().map(|agent| (agent.agent_id.clone(), agent.name.clone())).collect();
    let name = room_name(room.name.as_deref(), room.canonical_path.as_deref(), &room.room_id);
    html! {
        article.card.good id={ "hand-" (room.room_id) } data-row data-room=(room.room_id) {
            h3 { a href=(path(&["rooms", room.room_id.as_str()])) { bdi { (name) } } }
            p {
                @if room.owner.is_some() { "You hold the stick" } @else { "The stick is kept for you" }
                @if as_whom != you { " as " code { (as_whom) } }
                ", turn " (room.turn_id) @if let Some(until) = deadline(look, room) { ", " (until) } "."
            }
            @if as_whom == you { (stick::in_hand(look, room, &names)) (stick::claim(look, room)) }
            @else { p.quiet { "Hand it on where you took it: " (cli(&look.command("release", &room.room_id))) } }
        }
    }
}
