//! Who waits for whom, and what is on its way, one after the other.

use baton_app::commands::agent::{FlightKind, FlightView, GraphResult, WaitView};
use baton_core::ids::AgentId;
use maud::{Markup, html};

use super::table::whom;
use crate::web::{
    at::{path, path_with},
    look::Look,
    parts::{ago, reference},
};

pub(super) fn waits(look: &Look<'_>, graph: &GraphResult) -> Markup {
    html! {
        section aria-labelledby="waits-title" {
            h2 id="waits-title" { "Who waits for whom" }
            @if graph.waits.is_empty() { p.quiet { "Nobody waits for anybody." } }
            ul.waits role="list" { @for wait in &graph.waits { (wait_row(look, graph, wait)) } }
        }
    }
}

fn wait_row(look: &Look<'_>, graph: &GraphResult, wait: &WaitView) -> Markup {
    let to = wait.to_agent_id.as_ref().map_or("", AgentId::as_str);
    let place = wait.message.map_or_else(|| wait.since.to_string(), |message| message.to_string());
    html! {
        li id={ "wait-" (wait.kind.as_str()) "-" (place) "-" (wait.from_agent_id) "-" (to) } data-row data-wait=(wait.kind.as_str()) {
            p {
                (named(graph, &wait.from_agent_id, &wait.from)) " waits for " (whom(graph, wait)) " · " span dir="auto" { (wait.why) }
                @if wait.over { " " span.badge.alarm { "will not come" } }
            }
            p.quiet {
                "since " (ago(look, wait.since))
                @if let Some(pending) = &wait.pending { " · " bdi { (wait.to) } ": " span dir="auto" { (pending) } }
                @if let Some(about) = &wait.reference { " · " (reference(&graph.room_id, &about.to_string())) }
            }
        }
    }
}

pub(super) fn flights(look: &Look<'_>, graph: &GraphResult) -> Markup {
    html! {
        section aria-labelledby="flights-title" {
            h2 id="flights-title" { "On its way" }
            @if graph.flights.is_empty() { p.quiet { "All that was sent has been consumed." } }
            ul.waits role="list" { @for flight in &graph.flights { (flight_row(look, graph, flight)) } }
        }
    }
}

fn flight_row(look: &Look<'_>, graph: &GraphResult, flight: &FlightView) -> Markup {
    let what = match flight.kind {
        FlightKind::Stick => "the stick",
        FlightKind::Envelope => "envelope",
        FlightKind::Message => "message",
    };
    let seq = flight.message.to_string();
    html! {
        li id={ "flight-" (seq) "-" (flight.to_agent_id) } data-row {
            p {
                span.badge.talk { (what) } " " (named(graph, &flight.from_agent_id, &flight.from)) " → " (named(graph, &flight.to_agent_id, &flight.to))
                @if flight.interrupts { " " span.badge.alarm { "interrupt" } }
                " · " span dir="auto" { (flight.subject) }
            }
            p.quiet {
                span.label { (flight.state.as_str()) } ", sent " (ago(look, flight.sent_at)) " · "
                @match &flight.reference {
                    Some(about) => (reference(&graph.room_id, &about.to_string())),
                    None => a href=(path_with(&["rooms", graph.room_id.as_str(), "open"], &[("ref", &format!("log@{seq}"))])) { "event " (seq) },
                }
            }
        }
    }
}

fn named(graph: &GraphResult, id: &AgentId, name: &str) -> Markup {
    html! { a.agent href=(path(&["rooms", graph.room_id.as_str(), "agents", id.as_str()])) title=(id) { bdi { (name) } } }
}
