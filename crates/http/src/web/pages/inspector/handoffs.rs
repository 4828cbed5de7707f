//! Envelopes that it got and that it sent: in words, and as they were sent.

use baton_app::commands::{agent::Section, open::OpenedEnvelope};
use baton_core::{ids::AgentId, inbox::Stage};
use maud::{Markup, html};

use super::view::{View, none, part};
use crate::web::parts::{ago, reference};

pub(super) fn incoming(view: &View<'_>) -> Markup {
    let all = &view.shown.incoming;
    let body = html! {
        @if all.is_empty() { (none("No envelope came yet. Agents send one with send_handoff, people with baton handoff.")) }
        ul.waits role="list" { @for one in all { (row(view, one, "from", &one.from, &one.envelope.from_node_id)) } }
        (view.turning("incoming", Section::Incoming))
    };
    part("incoming", "Incoming handoffs", body)
}

pub(super) fn outgoing(view: &View<'_>) -> Markup {
    let all = &view.shown.outgoing;
    let body = html! {
        @if all.is_empty() { (none("It sent no envelope yet.")) }
        ul.waits role="list" { @for one in all { (row(view, one, "to", &one.to, &one.envelope.to_node_id)) } }
        (view.turning("outgoing", Section::Outgoing))
    };
    part("outgoing", "Outgoing handoffs", body)
}

fn row(view: &View<'_>, one: &OpenedEnvelope, way: &str, name: &str, other: &AgentId) -> Markup {
    let payload = &one.envelope.payload;
    let named = format!("payload://{}", one.envelope.id);
    html! {
        li id={ "envelope-" (one.message) } data-row data-envelope=(one.envelope.id) {
            p {
                span.badge { (one.envelope.kind) } " " (way) " "
                a.agent href=(crate::web::at::path(&["rooms", view.room().as_str(), "agents", other.as_str()])) title=(other) { bdi { (name) } }
                " " (reference(view.room(), &named))
            }
            p.prose dir="auto" { (payload.message) }
            @if let Some(status) = &payload.status {
                p { span class={ "badge " (if status.ok { "good" } else { "alarm" }) } { (if status.ok { "ok" } else { "failed" }) } @if let Some(reason) = &status.reason { " " span dir="auto" { (reason) } } }
            }
            @if !payload.artifacts.is_empty() {
                p { @for artifact in &payload.artifacts { span.quiet { bdi { (artifact.kind) } } " " (reference(view.room(), &artifact.reference.to_string())) " " } }
            }
            p.quiet {
                span.label { (stage(one.state)) } @if let Some(turn) = one.turn { " in " (reference(view.room(), &turn.to_string())) }
                ", sent " (ago(view.look, one.sent_at))
                @if one.awaits_response { " " span.badge.ask { "a response is owed" } }
                @if let Some(answer) = &one.answered_by { ", answered by " (view.refer(answer)) }
                @if let Some(answers) = &one.answers { ", answers " (view.refer(answers)) }
                @if let Some(pack) = &one.envelope.context_ref { ", with " (reference(view.room(), pack)) }
            }
            (view.raw(&named, &one.envelope))
        }
    }
}

/// How far a message has come, in the contract's words.
pub(super) const fn stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Queued => "Queued",
        Stage::Delivered => "Delivered",
        Stage::Seen => "Seen",
        Stage::Accepted => "Accepted",
    }
}
