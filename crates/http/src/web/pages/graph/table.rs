//! The same in a table: who, whether they are there, since when, what they do, and for whom they wait.

use baton_app::commands::agent::{GraphResult, NodeView, WaitView};
use maud::{Markup, html};

use super::state::state_words;
use crate::web::{
    at::path,
    look::Look,
    parts::{ago, copy, delegate_link},
};

pub(super) fn agents(look: &Look<'_>, graph: &GraphResult) -> Markup {
    html! {
        @if !graph.nodes.is_empty() {
            section aria-labelledby="table-title" {
                h2 id="table-title" { "Agents" }
                table.nodes {
                    thead { tr {
                        th scope="col" { "Agent" } th scope="col" { "State" } th scope="col" { "Last activity" }
                        th scope="col" { "Does" } th scope="col" { "Waits for" } th scope="col" { span.hidden { "Act" } }
                    } }
                    tbody { @for node in &graph.nodes { (row(look, graph, node)) } }
                }
            }
        }
    }
}

fn row(look: &Look<'_>, graph: &GraphResult, node: &NodeView) -> Markup {
    let connection = &node.connection;
    let address = path(&["rooms", graph.room_id.as_str(), "agents", node.agent_id.as_str()]);
    let waits = graph.waits.iter().filter(|wait| wait.from_agent_id == node.agent_id);
    html! {
        tr id={ "node-" (node.agent_id) } data-row data-agent=(node.agent_id) {
            th scope="row" {
                a.agent href=(address) title=(node.agent_id) { bdi { (node.name) } } (copy(node.agent_id.as_str(), "agent id"))
                p.quiet { (node.kind.as_str()) @if let Some(role) = &node.role { ", " bdi { (role) } } @if node.holds_stick { " " span.badge.good { "has the stick" } } }
            }
            td data-label="State" {
                (state_words(connection))
                p.quiet dir="auto" { (connection.why) }
            }
            td data-label="Last activity" { @if let Some(at) = connection.last_activity_at { (ago(look, at)) } @else { span.quiet { "unknown" } } }
            td data-label="Does" {
                @if let Some(does) = &node.does { span dir="auto" { (does) } } @else { span.quiet { "nothing on record" } }
                @if node.queued > 0 { p.quiet { (node.queued) " waiting in its inbox" } }
            }
            td data-label="Waits for" { ul role="list" { @for wait in waits { li { (waited(graph, wait)) } } } }
            td { (delegate_link(look, &[("agent", node.agent_id.as_str())])) }
        }
    }
}

fn waited(graph: &GraphResult, wait: &WaitView) -> Markup {
    html! {
        (whom(graph, wait)) ": " span dir="auto" { (wait.why) }
        @if wait.over { " " span.badge.alarm { "will not come" } }
    }
}

/// Whom somebody waits for.
pub(super) fn whom(graph: &GraphResult, wait: &WaitView) -> Markup {
    html! {
        @match &wait.to_agent_id {
            Some(id) => a.agent href=(path(&["rooms", graph.room_id.as_str(), "agents", id.as_str()])) title=(id) { bdi { (wait.to) } },
            None => b { (wait.to) },
        }
    }
}
