//! Requests for further agents in all rooms: those that wait first, with all that they ask for, then those decided on.

use baton_app::{
    Failure,
    commands::{
        open::{Open, OpenInput, What},
        room::{Overview, OverviewInput, RoomGlance},
        spawn::{ApprovalList, ApprovalListInput, ApprovalView},
    },
};
use baton_core::{ids::RoomId, spawn::ApprovalStatus};
use maud::{Markup, html};

use crate::web::{
    at::path,
    look::Look,
    page::{Page, Place, Region},
    parts::{Names, ShownRequest, agent, ago, asked_for, cli, decide, empty, reference, room_name},
};

/// Rooms that are looked at.
const ROOMS: u32 = 40;
/// Requests of a room.
const EACH: u32 = 25;
/// Requests that are shown in full.
const IN_FULL: usize = 20;
/// Requests decided on that are shown.
const DECIDED: usize = 50;

/// `GET /approvals`
pub(super) fn page(look: &Look<'_>) -> Result<Page, Failure> {
    let only: Option<RoomId> = look.at.parsed("room");
    let found = look.ask::<Overview>(OverviewInput { offset: None, limit: Some(ROOMS) })?;
    let rooms: Vec<RoomGlance> =
        found.rooms.into_iter().filter(|one| only.as_ref().is_none_or(|only| one.room.room_id == *only)).collect();
    let (mut pending, mut decided) = (Vec::new(), Vec::new());
    for glance in &rooms {
        let room_id = glance.room.room_id.clone();
        let open = ApprovalListInput { room_id, status: None, before: None, limit: Some(EACH) };
        for approval in look.ask::<ApprovalList>(open)?.approvals {
            let list = if approval.status == ApprovalStatus::Pending { &mut pending } else { &mut decided };
            list.push((glance, approval));
        }
    }
    pending.sort_by_key(|(_, approval)| approval.requested_at);
    decided.sort_by_key(|(_, approval)| std::cmp::Reverse(approval.decided_at));
    let mut cards = Vec::with_capacity(pending.len());
    for (place, (glance, approval)) in pending.iter().enumerate() {
        let shown = if place < IN_FULL { shown(look, &glance.room.room_id, approval)? } else { None };
        cards.push(card(look, glance, approval, shown.as_ref()));
    }
    let waiting = html! {
        h2 { "Waiting" }
        @if cards.is_empty() { (nothing(look)) }
        div.cards data-still { @for card in cards { (card) } }
    };
    let over = html! {
        @if !decided.is_empty() {
            h2 { "Decided" }
            ol.decided role="list" { @for (glance, approval) in decided.iter().take(DECIDED) { (row(look, glance, approval)) } }
        }
    };
    Ok(Page::new("Approvals", Place::Approvals)
        .lead(html! { p.quiet { "Agents that agents ask for. " (cli(&look.store_command("approval list"))) } })
        .region(Region::new("pending", waiting))
        .region(Region::new("decided", over)))
}

fn shown(look: &Look<'_>, room: &RoomId, approval: &ApprovalView) -> Result<Option<ShownRequest>, Failure> {
    let (id, workspace) = (approval.approval.to_string(), Some(room.to_string()));
    Ok(match look.ask::<Open>(OpenInput { id, offset: None, workspace })?.what {
        What::Approval(approval) => ShownRequest::of(*approval),
        _ => None,
    })
}

fn names(glance: &RoomGlance) -> Names {
    glance.agents.iter().map(|agent| (agent.agent_id.clone(), agent.name.clone())).collect()
}

fn where_it_is(glance: &RoomGlance) -> Markup {
    let room = &glance.room;
    let name = room_name(room.name.as_deref(), room.canonical_path.as_deref(), &room.room_id);
    html! { a href=(path(&["rooms", room.room_id.as_str()])) { bdi { (name) } } }
}

fn card(look: &Look<'_>, glance: &RoomGlance, approval: &ApprovalView, shown: Option<&ShownRequest>) -> Markup {
    let room = &glance.room.room_id;
    let key = format!("approval-{room}-{}", approval.approval);
    html! {
        article.card.ask.need id=(key) data-row data-room=(room) data-ref=(approval.approval) data-status="pending" aria-labelledby={ (key) "-title" } {
            header {
                h3 id={ (key) "-title" } dir="auto" { (approval.title) }
                p.quiet.from { (reference(room, &approval.approval.to_string())) " by " (agent(room, &names(glance), &approval.requested_by_agent_id)) ", " (ago(look, approval.requested_at)) ", in " (where_it_is(glance)) }
            }
            @match shown {
                Some(shown) => { (asked_for(room, shown)) }
                None => p { (reference(room, &approval.approval.to_string())) " shows what it asks for." },
            }
            (decide(look, room, approval.approval, shown))
        }
    }
}

fn row(look: &Look<'_>, glance: &RoomGlance, approval: &ApprovalView) -> Markup {
    let room = &glance.room.room_id;
    let good = approval.status == ApprovalStatus::Approved;
    html! {
        li id={ "approval-" (room) "-" (approval.approval) } data-row data-status=(approval.status.as_str()) {
            span class={ "badge " (if good { "good" } else { "alarm" }) } { (approval.status.as_str()) } " "
            (reference(room, &approval.approval.to_string())) " " span dir="auto" { (approval.title) }
            @if let Some(job) = approval.job { " is " (reference(room, &job.to_string())) }
            p.quiet {
                "asked for by " (agent(room, &names(glance), &approval.requested_by_agent_id))
                @if let Some(by) = &approval.decided_by { ", decided by " bdi { (by) } }
                @if let Some(at) = approval.decided_at { " " (ago(look, at)) }
                ", in " (where_it_is(glance))
                @if let Some(reason) = &approval.reason { ": " span dir="auto" { (reason) } }
            }
        }
    }
}

fn nothing(look: &Look<'_>) -> Markup {
    empty(
        "Nobody asks for an agent",
        html! {
            p { "An agent that may ask for further ones does so with its tool " code { "spawn_node" } "; its request waits here until you decide." }
            p { "To let an agent ask: " (cli(&look.store_command("agent grant NAME --spawn"))) }
        },
    )
}
