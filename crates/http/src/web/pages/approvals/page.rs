//! All requests, those that wait first.

use baton_app::{
    Failure,
    commands::{
        open::{Open, OpenInput, OpenedApproval, What},
        room::{List, ListInput},
        spawn::{ApprovalList, ApprovalListInput, ApprovalView},
    },
    view::PathRoom,
};
use baton_core::spawn::ApprovalStatus;
use maud::{Markup, html};
use serde_json::Value;

use super::decide;
use crate::web::{
    at::path,
    look::Look,
    page::{Page, Place, Region},
    parts::{Names, agent, ago, cli, empty, prose, raw, reference, room_name},
};

/// Rooms that are looked at, those that changed last first, and requests of each.
const ROOMS: usize = 24;
const EACH: u32 = 25;

/// `GET /approvals`
pub(in crate::web::pages) fn page(look: &Look<'_>) -> Result<Page, Failure> {
    let rooms = look.ask::<List>(ListInput { context_path: None, all: true })?.rooms;
    let (mut pending, mut decided) = (Vec::new(), Vec::new());
    for room in rooms.iter().take(ROOMS) {
        let input = ApprovalListInput { room_id: room.room_id.clone(), status: None, before: None, limit: Some(EACH) };
        for asked in look.ask::<ApprovalList>(input)?.approvals {
            match asked.status {
                ApprovalStatus::Pending => pending.push(card(look, room, &asked)?),
                _ => decided.push((asked.decided_at, row(look, room, &asked))),
            }
        }
    }
    decided.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    let waiting = html! {
        div.region-head { h2 { "Waiting for you" } (cli("baton approval list")) }
        @if pending.is_empty() {
            (empty("Nobody asks for another agent.", html! {
                p { "An agent that may spawn asks with " code { "spawn_node" } "; a room's policy says whether that waits here. To let one ask:" }
                p { (cli("baton agent grant NAME --spawn")) }
            }))
        }
        div.cards data-still { @for card in pending { (card) } }
    };
    let over = html! {
        @if !decided.is_empty() {
            h2 { "Decided" }
            table {
                thead { tr { th scope="col" { "Request" } th scope="col" { "What" } th scope="col" { "Decision" } th scope="col" { "Room" } } }
                tbody { @for (_, row) in decided { (row) } }
            }
        }
    };
    let page = Page::new("Approvals", Place::Approvals);
    Ok(page.region(Region::new("pending", waiting)).region(Region::new("decided", over)))
}

fn card(look: &Look<'_>, room: &PathRoom, asked: &ApprovalView) -> Result<Markup, Failure> {
    let id = &room.room_id;
    let input = OpenInput { id: asked.approval.to_string(), offset: None, workspace: Some(id.to_string()) };
    let whole = match look.ask::<Open>(input)?.what {
        What::Approval(opened) => Some(opened),
        _ => None,
    };
    let names = Names::from([(asked.requested_by_agent_id.clone(), asked.requested_by.clone())]);
    Ok(html! {
        article.card.ask data-row data-approval=(asked.approval) data-room=(id) id={ "approval-" (id) "-" (asked.approval) } {
            p.need-head {
                (reference(id, &asked.approval.to_string())) " "
                span.quiet { "asked by " (agent(id, &names, &asked.requested_by_agent_id)) ", " (ago(look, asked.requested_at)) " in " (place(room)) }
            }
            h3 dir="auto" { (asked.title) }
            @if let Some(whole) = &whole { (request(whole)) }
            div.tools { (decide(look, id, &asked.approval.to_string(), whole.as_ref().map(|whole| &whole.request))) }
            details.cli-of { summary { "In a terminal" } (cli(&format!("baton approval approve {} --room {id}", asked.approval))) }
        }
    })
}

/// What was asked for, in words.
fn request(opened: &OpenedApproval) -> Markup {
    let text = |name: &str| opened.request.get(name).and_then(Value::as_str);
    const FACTS: [(&str, &str); 5] = [
        ("role", "Role"),
        ("executor", "Executor"),
        ("executor_profile", "Profile"),
        ("isolation", "Works in"),
        ("priority", "Priority"),
    ];
    html! {
        @if let Some(prompt) = text("prompt") { (prose(prompt)) }
        dl.facts { @for (name, label) in FACTS { @if let Some(value) = text(name) { div { dt { (label) } dd { bdi { (value) } } } } } }
        (raw("All that is asked for", &opened.request))
    }
}

fn row(look: &Look<'_>, room: &PathRoom, asked: &ApprovalView) -> Markup {
    html! {
        tr data-row {
            td { (reference(&room.room_id, &asked.approval.to_string())) }
            td { span dir="auto" { (asked.title) } @if let Some(job) = asked.job { " is " (reference(&room.room_id, &job.to_string())) } }
            td {
                span.badge { (asked.status) }
                @if let Some(by) = &asked.decided_by { " by " bdi { (by) } }
                @if let Some(at) = asked.decided_at { ", " (ago(look, at)) }
                @if let Some(reason) = &asked.reason { ": " span dir="auto" { (reason) } }
            }
            td { (place(room)) }
        }
    }
}

fn place(room: &PathRoom) -> Markup {
    let name = room_name(room.name.as_deref(), room.canonical_path.as_deref(), &room.room_id);
    html! { a href=(path(&["rooms", room.room_id.as_str()])) { bdi { (name) } } }
}
