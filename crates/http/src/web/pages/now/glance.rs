//! A room at a glance: who holds the stick, and what each agent is doing.

use baton_app::{
    Failure,
    commands::{
        agent::{AgentView, List, ListInput},
        room::RoomGlance,
    },
};
use baton_core::room::RoomState;
use maud::{Markup, html};

use crate::web::{
    at::path,
    look::Look,
    parts::{Names, agent, deadline, delegate_link, reference, room_name, state_badge, state_tone},
};

/// Agents that are shown of a room; the room has them all.
const AGENTS: usize = 8;

pub(super) fn glance(look: &Look<'_>, glance: &RoomGlance) -> Result<Markup, Failure> {
    let room = &glance.room;
    let id = &room.room_id;
    let name = room_name(room.name.as_deref(), room.canonical_path.as_deref(), id);
    let names: Names = glance.agents.iter().map(|one| (one.agent_id.clone(), one.name.clone())).collect();
    let agents = match room.state {
        RoomState::Closed => Vec::new(),
        _ => look.ask::<List>(ListInput { room_id: id.clone(), all: false })?.agents,
    };
    Ok(html! {
        article class={ "card glance " (state_tone(room.state)) } data-row data-room=(id) id={ "glance-" (id) } {
            h3 { a href=(path(&["rooms", id.as_str()])) { bdi { (name) } } }
            @if let Some(path) = &room.canonical_path { p.quiet { bdi { (path) } } }
            p {
                @match (&room.owner, &room.reserved_for) {
                    (Some(owner), _) => { (agent(id, &names, owner)) " holds the stick" }
                    (None, Some(next)) => { "kept for " (agent(id, &names, next)) }
                    (None, None) => { (state_badge(room.state)) }
                }
                @if let Some(left) = deadline(look, room) { ", " (left) }
            }
            ul.doing {
                @for one in agents.iter().take(AGENTS) { (doing(glance, &names, one)) }
                @if agents.len() > AGENTS { li.quiet { "and " (agents.len() - AGENTS) " more" } }
            }
            p.tools {
                a.button href=(path(&["rooms", id.as_str(), "graph"])) { "Graph" }
                a.button href=(path(&["rooms", id.as_str(), "jobs"])) { "Jobs" }
                @if room.state != RoomState::Closed { (delegate_link(look, &[("room", id.as_str())])) }
            }
        }
    })
}

/// What an agent is doing, as far as it says.
fn doing(glance: &RoomGlance, names: &Names, one: &AgentView) -> Markup {
    let room = &glance.room.room_id;
    let state = one.connection.state.as_str();
    html! {
        li {
            span class={ "link-state " (state) } title=(state) {} " "
            (agent(room, names, &one.agent_id)) " "
            span.quiet {
                (state)
                @for task in &one.in_progress { ", at " (reference(room, &task.to_string())) }
                @if !one.scopes.is_empty() { ", in " code { bdi { (one.scopes.join(", ")) } } }
            }
        }
    }
}
