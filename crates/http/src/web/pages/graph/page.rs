//! The parts of the page.

use baton_app::{
    Failure,
    commands::agent::{Graph, GraphInput, GraphResult},
};
use baton_core::{ids::RoomId, policy::Edges};
use maud::{Markup, html};

use super::{drawing, lists, table};
use crate::web::{
    look::Look,
    page::{Page, Place, Region},
    pages::room::Sight,
    parts::{RoomPage, cli, delegate_link, empty, room_nav},
};

/// Most agents of a graph.
const AGENTS: u32 = 100;

/// `GET /rooms/{room}/graph`
pub(in crate::web::pages) fn page(look: &Look<'_>) -> Result<Page, Failure> {
    let room: RoomId = look.param("room")?;
    let sight = Sight::of(look)?;
    let graph = look.ask::<Graph>(GraphInput { room_id: room.clone(), limit: Some(AGENTS) })?;
    let lead = html! {
        p.quiet { bdi { (sight.name()) } " · " (count(graph.nodes.len(), "agent")) " · " (policy(&graph)) }
        (delegate_link(look, &[])) (cli(&look.command("agent graph", sight.id())))
    };
    Ok(Page::new("Graph", Place::Rooms)
        .of(&room)
        .lead(lead)
        .region(Region::new("pages", room_nav(&room, RoomPage::Graph, &[])))
        .region(Region::new("graph", picture(look, &graph)))
        .region(Region::new("waits", lists::waits(look, &graph)))
        .region(Region::new("table", table::agents(look, &graph)))
        .region(Region::new("flights", lists::flights(look, &graph))))
}

fn policy(graph: &GraphResult) -> &'static str {
    match graph.policy {
        Edges::Mesh => "mesh: everybody may write to everybody",
        Edges::Explicit => "envelopes go along the edges only",
    }
}

fn count(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn picture(look: &Look<'_>, graph: &GraphResult) -> Markup {
    if graph.nodes.is_empty() {
        let next = html! { p { "An agent is here once it joins: " (cli(&look.store_command("join"))) " in its workspace, or the tool " code { "join_path" } "." } };
        return empty("Nobody is here", next);
    }
    html! {
        section aria-labelledby="graph-title" {
            h2.hidden id="graph-title" { "Picture" }
            (drawing::drawing(graph))
            ul.legend role="list" aria-label="What the lines and marks mean" {
                li { (sample("edge")) @if graph.policy == Edges::Mesh { "wrote lately" } @else { "may write" } }
                li { (sample("flight")) "on its way" }
                li { (sample("wait")) "waits for" }
            }
            @for left in &graph.more { p.quiet { (left) } }
        }
    }
}

fn sample(class: &str) -> Markup {
    html! {
        svg.sample viewBox="0 0 34 12" width="34" height="12" aria-hidden="true" {
            @if class == "flight" { path class="line edge" d="M0 6H34" {} circle class="flight-mark" cx="17" cy="6" r="5" {} }
            @else { path class={ "line " (class) } d="M0 6H34" {} }
        }
    }
}
