//! A room as a graph, and one of its agents in full.

use baton_app::commands::agent::{
    Cursor, EdgeUse, FlightView, GraphResult, InboxEntry, InspectResult, NodeView, ToolEntry, TurnEntry, WaitView,
};
use baton_core::{policy::Edges, time::Timestamp};

use super::{
    envelope::envelope_page,
    library::artifact_lines,
    message::item_lines,
    turn::{connection_line, part, prompt, took, tool_row, turn_lines},
    words::{ago, block, columns, line},
};
use crate::{commands::surface::as_typed, wording::who};

/// Agents, edges, what is on its way, and who waits for whom.
pub(crate) fn graph(graph: &GraphResult, now: Timestamp) -> String {
    if graph.nodes.is_empty() {
        return "Nobody is here.\nnext: baton agent init\n".to_owned();
    }
    let edges = match graph.policy {
        Edges::Mesh => "Edges: everybody may write to everybody; these were used",
        Edges::Explicit => "Edges",
    };
    let more: String = graph.more.iter().map(|pointer| format!("{}\n", as_typed(pointer))).collect();
    columns(&graph.nodes.iter().map(|node| node_row(node, now)).collect::<Vec<_>>())
        + &part("Waits", &columns(&graph.waits.iter().map(|wait| wait_row(wait, now)).collect::<Vec<_>>()))
        + &part("On its way", &columns(&graph.flights.iter().map(|flight| flight_row(flight, now)).collect::<Vec<_>>()))
        + &part(edges, &columns(&graph.edges.iter().map(|edge| edge_row(edge, now)).collect::<Vec<_>>()))
        + &more
}

fn node_row(node: &NodeView, now: Timestamp) -> [String; 5] {
    let stick = if node.holds_stick { "has the stick" } else { "" };
    let queued = Some(node.queued).filter(|count| *count > 0).map(|count| format!("{count} queued"));
    let does: Vec<String> = node.does.as_deref().map(line).into_iter().chain(queued).collect();
    [
        who(&node.name, &node.agent_id),
        node.kind.as_str().to_owned(),
        connection_line(&node.connection, now),
        stick.to_owned(),
        does.join("; "),
    ]
}

fn wait_row(wait: &WaitView, now: Timestamp) -> [String; 3] {
    let pending = wait.pending.as_ref().map_or_else(String::new, |pending| format!(" ({})", line(pending)));
    let over = if wait.over { ", which will not come" } else { "" };
    let reference = wait.reference.as_ref().map_or_else(String::new, |reference| format!("  {reference}"));
    [
        format!("{} -> {}", line(&wait.from), line(&wait.to)),
        format!("since {}", ago(wait.since, now)),
        format!("{}{over}{pending}{reference}", line(&wait.why)),
    ]
}

fn flight_row(flight: &FlightView, now: Timestamp) -> [String; 4] {
    let reference = flight.reference.as_ref().map_or_else(String::new, |reference| format!("  {reference}"));
    [
        format!("{} -> {}", line(&flight.from), line(&flight.to)),
        format!("{}, {}", flight.kind.as_str(), flight.state.as_str()),
        format!("sent {}", ago(flight.sent_at, now)),
        format!("{}{reference}", line(&flight.subject)),
    ]
}

fn edge_row(edge: &EdgeUse, now: Timestamp) -> [String; 2] {
    let arrow = if edge.both_ways { "<->" } else { "->" };
    let used = edge.used_at.map_or("never used".to_owned(), |at| format!("used {}", ago(at, now)));
    [format!("{} {arrow} {}", line(&edge.from), line(&edge.to)), used]
}

/// An agent, with what went in and came out of it.
pub(crate) fn inspected(shown: &InspectResult, now: Timestamp) -> String {
    let node = &shown.node;
    let mut page = format!("{}  {}\n", who(&node.name, &node.agent_id), node.kind.as_str());
    page.push_str(&block("state", &connection_line(&node.connection, now)));
    if let Some(does) = &node.does {
        page.push_str(&block("does", does));
    }
    if node.holds_stick {
        page.push_str(&block("stick", "held"));
    }
    if !shown.scopes.is_empty() {
        page.push_str(&block("scopes", &shown.scopes.join(", ")));
    }
    let took = took(&shown.usage).map_or_else(String::new, |took| format!(": {took}"));
    page.push_str(&block("turns", &format!("{}{took}", shown.turn_count)));
    let envelope = |opened: &baton_app::commands::open::OpenedEnvelope| {
        envelope_page(opened, &format!("payload://{}", opened.envelope.id), now)
    };
    let items: Vec<_> = shown.inbox.iter().map(|entry: &InboxEntry| entry.item.clone()).collect();
    let tools: Vec<_> = shown.tools.iter().map(tool).collect();
    let waits: Vec<_> = shown.waits.iter().map(|wait| wait_row(wait, now)).collect();
    page + &part("Waits", &columns(&waits))
        + &part("Incoming", &shown.incoming.iter().map(envelope).collect::<String>())
        + &part("Outgoing", &shown.outgoing.iter().map(envelope).collect::<String>())
        + &part("Inbox", &item_lines(&items, now))
        + &part("Turns", &shown.turns.iter().map(|entry| turn(entry, now)).collect::<String>())
        + &part("Tools", &columns(&tools))
        + &part("Diffs", &artifact_lines(&shown.diffs))
        + &part("Files", &artifact_lines(&shown.artifacts))
        + &shown.older.iter().map(|cursor| older(cursor, node)).collect::<String>()
}

fn turn(entry: &TurnEntry, now: Timestamp) -> String {
    let prompts = entry.prompts.iter().map(|told| format!("  {}", prompt(told, now)));
    turn_lines(std::slice::from_ref(&entry.turn), now) + &prompts.collect::<String>()
}

fn tool(entry: &ToolEntry) -> [String; 5] {
    let [at, name, state, detail] = tool_row(&entry.name, &entry.detail, entry.state, entry.at);
    [at, entry.turn.to_string(), name, state, detail]
}

fn older(cursor: &Cursor, node: &NodeView) -> String {
    let section = cursor.section.as_str();
    format!("older {section}: baton agent inspect {} --section {section} --before {}\n", node.agent_id, cursor.before)
}
