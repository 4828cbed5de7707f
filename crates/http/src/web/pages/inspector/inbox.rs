//! What is and was in its inbox, and how far up the ladder each item is.

use baton_app::commands::agent::{InboxEntry, Section};
use baton_core::{inbox::Stage, time::Timestamp};
use maud::{Markup, html};

use super::{
    handoffs::stage,
    view::{View, none, part},
};
use crate::web::{at::path_with, parts::ago};

pub(super) fn region(view: &View<'_>) -> Markup {
    let all = &view.shown.inbox;
    let body = html! {
        @if view.shown.node.queued > 0 { p { b { (view.shown.node.queued) } " not seen yet" } }
        @if all.is_empty() { (none("Nothing was ever sent to it.")) }
        ul.waits role="list" { @for entry in all { (row(view, entry)) } }
        (view.turning("inbox", Section::Inbox))
    };
    part("inbox", "Inbox", body)
}

fn row(view: &View<'_>, entry: &InboxEntry) -> Markup {
    let item = &entry.item;
    let seq = item.message.to_string();
    let rungs: [(Stage, Option<Timestamp>); 4] = [
        (Stage::Queued, Some(item.sent_at)),
        (Stage::Delivered, entry.delivered_at),
        (Stage::Seen, entry.seen_at),
        (Stage::Accepted, entry.accepted_at),
    ];
    html! {
        li id={ "item-" (seq) } data-row data-state=(item.state.as_str()) {
            p {
                span.badge { (item.category.as_str()) } " from " (view.sight.agent(&item.from_agent_id)) ": " span dir="auto" { (item.subject) }
                @if item.interrupts { " " span.badge.alarm { "interrupt" } }
                @if item.requires_ack && entry.accepted_at.is_none() { " " span.badge.ask { "to be accepted" } }
            }
            ol.ladder role="list" aria-label="How far it is" {
                @for (rung, at) in rungs {
                    li class=[at.is_some().then_some("reached")] { (stage(rung)) @if let Some(at) = at { " " (ago(view.look, at)) } @else { span.hidden { ": not yet" } } }
                }
            }
            p.quiet {
                @match &item.reference { Some(about) => (view.refer(about)), None => a href=(path_with(&["rooms", view.room().as_str(), "open"], &[("ref", &format!("log@{seq}"))])) { "message " (seq) } }
                @if let Some(turn) = entry.turn { " consumed in " (crate::web::parts::reference(view.room(), &turn.to_string())) }
            }
        }
    }
}
