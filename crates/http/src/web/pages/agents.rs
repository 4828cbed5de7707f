//! All agents of all rooms: whether they are there, what they do, and where.

use baton_app::{
    Failure,
    commands::{
        agent::{Graph, GraphInput, NodeView},
        room::{Overview, OverviewInput, RoomGlance},
    },
};
use baton_core::{agent::ConnectionState, ids::RoomId, room::RoomState};
use maud::{Markup, html};

use super::graph::state_words;
use crate::web::{
    at::path,
    look::Look,
    page::{Page, Place, Region},
    parts::{ago, cli, copy, delegate_link, empty, room_name},
};

/// Rooms that one page looks into.
const ROOMS: u32 = 12;
/// Agents of a room that are shown here.
const AGENTS: u32 = 50;
/// Agents on one page.
const SHOWN: usize = 150;

/// An agent, and where it is.
struct Found {
    room: RoomId,
    room_name: String,
    node: NodeView,
}

/// `GET /agents`
pub(super) fn page(look: &Look<'_>) -> Result<Page, Failure> {
    let offset: u32 = look.at.parsed("offset").unwrap_or(0);
    let overview = look.ask::<Overview>(OverviewInput { offset: Some(offset), limit: Some(ROOMS) })?;
    let seen = overview.rooms.len();
    let mut found = Vec::new();
    let wanted = |room: &&RoomGlance| match look.at.query("room") {
        Some(id) => room.room.room_id.as_str() == id,
        None => room.room.state != RoomState::Closed,
    };
    for glance in overview.rooms.iter().filter(wanted) {
        let room = &glance.room;
        let graph = look.ask::<Graph>(GraphInput { room_id: room.room_id.clone(), limit: Some(AGENTS) })?;
        let name = room_name(room.name.as_deref(), room.canonical_path.as_deref(), &room.room_id);
        found.extend(graph.nodes.into_iter().map(|node| Found {
            room: room.room_id.clone(),
            room_name: name.clone(),
            node,
        }));
    }
    let next = overview.has_more.then(|| u64::from(offset) + seen as u64);
    Ok(Page::new("Agents", Place::Agents)
        .lead(html! { p.quiet { "of all rooms" } (cli(&look.store_command("agent list"))) })
        .region(Region::new("filters", filters(look, &overview.rooms, &found)))
        .region(Region::new("agents", table(look, &found, next))))
}

fn filters(look: &Look<'_>, rooms: &[RoomGlance], found: &[Found]) -> Markup {
    let (state, room) = (look.at.query("state"), look.at.query("room"));
    let count = |state: ConnectionState| found.iter().filter(|one| one.node.connection.state == state).count();
    html! {
        nav.filters aria-label="Which agents" {
            ul {
                li { a href=(look.at.with(&[("state", "")])) aria-current=[state.is_none().then_some("page")] { "All " (found.len()) } }
                @for one in ConnectionState::ALL.iter().copied() { li { a href=(look.at.with(&[("state", one.as_str())])) aria-current=[(state == Some(one.as_str())).then_some("page")] { (one.as_str()) " " (count(one)) } } }
            }
            @if rooms.len() > 1 || room.is_some() {
                ul aria-label="Room" {
                    li { a href=(look.at.with(&[("room", "")])) aria-current=[room.is_none().then_some("page")] { "All rooms" } }
                    @for glance in rooms {
                        @let id = glance.room.room_id.as_str();
                        li { a href=(look.at.with(&[("room", id)])) aria-current=[(room == Some(id)).then_some("page")] { bdi { (room_name(glance.room.name.as_deref(), glance.room.canonical_path.as_deref(), &glance.room.room_id)) } } }
                    }
                }
            }
        }
    }
}

fn table(look: &Look<'_>, found: &[Found], next: Option<u64>) -> Markup {
    let state = look.at.query("state");
    let mut meant: Vec<&Found> =
        found.iter().filter(|one| state.is_none_or(|state| one.node.connection.state.as_str() == state)).collect();
    let left = meant.len().saturating_sub(SHOWN);
    meant.truncate(SHOWN);
    html! {
        @if found.is_empty() && next.is_none() {
            (empty("No agents yet", html! { p { "An agent is here once it joins a room: " (cli(&look.store_command("join"))) ". Set your harness up with " (cli(&look.store_command("install"))) "." } }))
        } @else if meant.is_empty() {
            (empty("No agent is so here", html! { p { a href=(look.at.path()) { "Show all" } } }))
        } @else {
            section aria-labelledby="agents-title" {
                h2.hidden id="agents-title" { "Agents" }
                table.nodes {
                    thead { tr {
                        th scope="col" { "Agent" } th scope="col" { "State" } th scope="col" { "Last seen" }
                        th scope="col" { "Does" } th scope="col" { "Room" } th scope="col" { span.hidden { "Act" } }
                    } }
                    tbody { @for one in &meant { (row(look, one)) } }
                }
            }
        }
        @if left > 0 { p.quiet { (left) " more are not shown: choose a room." } }
        @if let Some(next) = next { p { a.button href=(look.at.with(&[("offset", &next.to_string())])) { "More rooms" } } }
    }
}

fn row(look: &Look<'_>, found: &Found) -> Markup {
    let (node, room) = (&found.node, found.room.as_str());
    let connection = &node.connection;
    html! {
        tr id={ "agent-" (room) "-" (node.agent_id) } data-row data-agent=(node.agent_id) data-connection=(connection.state.as_str()) {
            th scope="row" {
                a.agent href=(path(&["rooms", room, "agents", node.agent_id.as_str()])) title=(node.agent_id) { bdi { (node.name) } } (copy(node.agent_id.as_str(), "agent id"))
                p.quiet { (node.kind.as_str()) @if let Some(role) = &node.role { ", " bdi { (role) } } @if node.holds_stick { " " span.badge.good { "has the stick" } } }
            }
            td data-label="State" {
                (state_words(connection))
                p.quiet dir="auto" { (connection.why) }
            }
            td data-label="Last seen" { @if let Some(at) = connection.last_activity_at { (ago(look, at)) } @else { span.quiet { "unknown" } } }
            td data-label="Does" {
                @if let Some(does) = &node.does { span dir="auto" { (does) } } @else { span.quiet { "nothing on record" } }
                @if node.queued > 0 { p.quiet { (node.queued) " waiting in its inbox" } }
            }
            td data-label="Room" { a href=(path(&["rooms", room])) { bdi { (found.room_name) } } }
            td { (delegate_link(look, &[("room", room), ("agent", node.agent_id.as_str())])) }
        }
    }
}
