//! The picture: boxes for agents, lines for edges, marks for what is on its way, dashed lines for waits.

use std::collections::BTreeMap;

use baton_app::commands::agent::{FlightKind, FlightView, GraphResult, NodeView, WaitView};
use baton_core::{agent::ConnectionState, ids::AgentId};
use maud::{Markup, html};

use super::{
    curve::{Curve, Lane},
    labels::Labels,
    layout::{BOX, Layout, Spot},
    state::stream_words,
};
use crate::web::at::path;

/// Most marks on a line. How many more there are is said beside them.
const MARKS: usize = 4;

pub(super) fn drawing(graph: &GraphResult) -> Markup {
    let layout = Layout::of(&graph.nodes);
    let places: BTreeMap<&AgentId, Spot> =
        graph.nodes.iter().zip(&layout.spots).map(|(node, spot)| (&node.agent_id, *spot)).collect();
    let curve = |from: &AgentId, to: &AgentId, lane| Some(Curve::between(*places.get(from)?, *places.get(to)?, lane));
    let mut labels = Labels::among(&layout.spots);
    let size = format!("0 0 {:.0} {:.0}", layout.width, layout.height);
    html! {
        div.graph tabindex="0" role="group" aria-label="The agents of the room and what goes between them, as the table below tells it" {
            svg viewBox=(size) width=(format!("{:.0}", layout.width)) height=(format!("{:.0}", layout.height)) {
                defs { (arrow("edge")) (arrow("wait")) }
                @for edge in &graph.edges {
                    @if let Some(line) = curve(&edge.from_agent_id, &edge.to_agent_id, Lane::Edge) {
                        path.line.edge data-edge={ (edge.from_agent_id) " " (edge.to_agent_id) } d=(line.path())
                            marker-end="url(#arrow-edge)" marker-start=[edge.both_ways.then_some("url(#arrow-edge)")] {
                            title { (edge.from) (if edge.both_ways { " and " } else { " to " }) (edge.to) }
                        }
                    }
                }
                @for ((from, to), flights) in &by_pair(&graph.flights, |flight| Some((&flight.from_agent_id, &flight.to_agent_id))) {
                    @if let Some(line) = curve(from, to, Lane::Edge) { (flying(&line, flights, &mut labels)) }
                }
                @for ((from, to), waits) in &by_pair(&graph.waits, |wait| Some((&wait.from_agent_id, wait.to_agent_id.as_ref()?))) {
                    @if let Some(line) = curve(from, to, Lane::Wait) { (waiting(&line, waits, &mut labels)) }
                }
                @for (node, spot) in graph.nodes.iter().zip(&layout.spots) { (boxed(graph, node, *spot)) }
            }
        }
    }
}

/// What goes between the same two, in its order.
fn by_pair<'a, T>(
    all: &'a [T],
    ends: impl Fn(&'a T) -> Option<(&'a AgentId, &'a AgentId)>,
) -> BTreeMap<(&'a AgentId, &'a AgentId), Vec<&'a T>> {
    let mut pairs: BTreeMap<_, Vec<&T>> = BTreeMap::new();
    for one in all {
        if let Some(ends) = ends(one).filter(|(from, to)| from != to) {
            pairs.entry(ends).or_default().push(one);
        }
    }
    pairs
}

fn arrow(class: &str) -> Markup {
    html! {
        marker id={ "arrow-" (class) } class={ "arrow " (class) } viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse" {
            path d="M0 0L10 5L0 10z" {}
        }
    }
}

/// What is on its way along a line: a mark for each, and a word for what it is.
fn flying(line: &Curve, flights: &[&FlightView], labels: &mut Labels) -> Markup {
    let shown = flights.len().min(MARKS);
    let words = match flights {
        [one] => short(&format!("{}: {}", word(one.kind), one.subject), 26),
        many => format!("{} on their way", many.len()),
    };
    let middle = labels.clear(line);
    let place = labels.place(line, &words);
    html! {
        path.line.way d=(line.path()) {}
        @for (place, flight) in flights.iter().take(MARKS).enumerate() {
            @let (x, y) = line.at(middle + (place as f64 - (shown as f64 - 1.0) / 2.0) * 0.13);
            circle class={ "flight-mark " (flight.kind.as_str()) } data-flight=(flight.id) cx=(format!("{x:.0}")) cy=(format!("{y:.0}")) r="6" {
                title { (word(flight.kind)) " from " (flight.from) " to " (flight.to) ", " (flight.state.as_str()) ": " (flight.subject) }
            }
        }
        @if let Some((x, y)) = place { text.on-line x=(format!("{x:.0}")) y=(format!("{y:.0}")) { (words) } }
    }
}

fn word(kind: FlightKind) -> &'static str {
    match kind {
        FlightKind::Stick => "the stick",
        FlightKind::Envelope => "envelope",
        FlightKind::Message => "message",
    }
}

/// Who waits for whom, and what for.
fn waiting(line: &Curve, waits: &[&WaitView], labels: &mut Labels) -> Markup {
    let over = waits.iter().any(|wait| wait.over);
    let mut kinds: Vec<&str> = waits.iter().map(|wait| wait.kind.as_str()).collect();
    kinds.dedup();
    let words = format!("waits: {}", kinds.join(", "));
    let place = labels.place(line, &words);
    html! {
        path class={ "line wait" @if over { " over" } } data-wait=(waits[0].kind.as_str()) d=(line.path()) marker-end="url(#arrow-wait)" {
            title { @for wait in waits { (wait.from) " waits for " (wait.to) ": " (wait.why) ". " } }
        }
        @if let Some((x, y)) = place { text.on-line.wait x=(format!("{x:.0}")) y=(format!("{y:.0}")) { (words) } }
    }
}

/// An agent's box, which leads to all about it. What does not fit is cut at its border.
fn boxed(graph: &GraphResult, node: &NodeView, spot: Spot) -> Markup {
    let connection = &node.connection;
    let state = connection.state.as_str();
    let stream = stream_words(connection);
    let waits = graph.waits.iter().filter(|wait| wait.from_agent_id == node.agent_id).count();
    let below = match (node.queued, waits) {
        (0, 0) => None,
        (0, _) => Some("waits".to_owned()),
        (queued, 0) => Some(format!("{queued} queued")),
        (queued, _) => Some(format!("{queued} queued, waits")),
    };
    let does = node.does.as_deref().unwrap_or(&connection.why);
    let place = |value: f64| format!("{value:.0}");
    let address = path(&["rooms", graph.room_id.as_str(), "agents", node.agent_id.as_str()]);
    html! {
        a href=(address) data-node=(node.agent_id) data-connection=(state) class={ "node " (state) " is-" (node.kind.as_str()) @if node.holds_stick { " holds" } } {
            title { (node.name) ", " (state) ": " (connection.why) }
            svg x=(place(spot.x)) y=(place(spot.y)) width=(place(BOX.0)) height=(place(BOX.1)) {
                rect.frame x="1.5" y="1.5" width=(place(BOX.0 - 3.0)) height=(place(BOX.1 - 3.0)) rx=(if node.kind.as_str() == "person" { "22" } else { "8" }) {}
                text.name x="14" y="24" { (short(&node.name, if node.holds_stick { 15 } else { 21 })) }
                @if node.holds_stick {
                    rect.stick x="146" y="10" width="40" height="18" rx="9" {}
                    text.stick-word x="166" y="23" { "stick" }
                }
                g.mark transform="translate(14 33)" {
                    @match connection.state {
                        ConnectionState::Connected => circle cx="6" cy="6" r="5" {},
                        ConnectionState::Idle => circle cx="6" cy="6" r="4" {},
                        ConnectionState::Disconnected => path d="M2 2L10 10M10 2L2 10" {},
                        ConnectionState::Gone => path d="M2 6H10" {},
                    }
                }
                text.state x="31" y="43" {
                    (state) @if let Some(stream) = stream { ", " (stream) }
                    @if let Some(role) = &node.role { " · " (short(role.as_str(), 12)) }
                }
                text.does x="14" y="61" { (short(does, 29)) }
                @if let Some(below) = below { text.below x="14" y="77" { (below) } }
            }
        }
    }
}

/// A text that fits, about: what is wide counts twice.
fn short(text: &str, most: usize) -> String {
    let wide = |char: char| if u32::from(char) >= 0x1100 { 2 } else { 1 };
    let total: usize = text.chars().map(wide).sum();
    if total <= most {
        return text.to_owned();
    }
    let mut width = 0;
    let kept = text.chars().take_while(|char| {
        width += wide(*char);
        width < most
    });
    format!("{}…", kept.collect::<String>().trim_end())
}
