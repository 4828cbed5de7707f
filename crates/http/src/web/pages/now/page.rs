//! The page.

use baton_app::{
    Failure,
    commands::{
        agent::{Need, NeedKind, Needs, NeedsInput},
        open::{Open, OpenInput, What},
        room::{Overview, OverviewInput, RoomGlance},
    },
};
use baton_core::room::RoomState;
use maud::{Markup, html};

use super::{card, hands, rooms};
use crate::web::{
    look::Look,
    page::{Page, Place, Region},
    parts::{ShownRequest, cli, empty},
};

/// Pages of needs that are read.
const PAGES: usize = 4;
/// Rooms at a glance.
const ROOMS: u32 = 12;
/// Requests for agents that are shown in full here.
const IN_FULL: usize = 10;

/// `GET /`
pub(in crate::web::pages) fn page(look: &Look<'_>) -> Result<Page, Failure> {
    let (needs, has_more) = needs(look)?;
    let found = look.ask::<Overview>(OverviewInput { offset: None, limit: Some(ROOMS) })?;
    let open: Vec<RoomGlance> = found.rooms.into_iter().filter(|one| one.room.state != RoomState::Closed).collect();
    let list = html! {
        h2 { "Needs you" }
        @if needs.is_empty() { (nothing(look, &open)) }
        @else { div.cards.needs data-still { @for (need, shown) in &needs { (card::card(look, need, shown.as_ref())) } } }
        @if has_more { p.quiet { "There is more than fits here: " (cli(&look.store_command("needs"))) } }
    };
    Ok(Page::new("Now", Place::Now)
        .lead(html! { p.quiet { "What waits for you, in all rooms. " (cli(&look.store_command("needs"))) } })
        .region(Region::new("needs", list))
        .region(Region::new("hands", hands::region(look, &open)))
        .region(Region::new("rooms", rooms::region(look, &open, found.has_more)?)))
}

/// A need, with what is asked for where that is another agent.
type Shown = (Need, Option<ShownRequest>);

/// What waits, with what a request for an agent asks for.
fn needs(look: &Look<'_>) -> Result<(Vec<Shown>, bool), Failure> {
    let (mut needs, mut after, mut has_more) = (Vec::new(), None, false);
    for _ in 0..PAGES {
        let found = look.ask::<Needs>(NeedsInput { after: after.take(), limit: Some(50), room_id: None })?;
        needs.extend(found.needs);
        (after, has_more) = (found.cursor, found.has_more);
        if after.is_none() {
            break;
        }
    }
    let mut in_full = 0;
    let mut told = Vec::with_capacity(needs.len());
    for need in needs {
        let asks = need.kind == NeedKind::Approval && in_full < IN_FULL;
        in_full += usize::from(asks);
        let shown = if asks { shown(look, &need)? } else { None };
        told.push((need, shown));
    }
    Ok((told, has_more))
}

fn shown(look: &Look<'_>, need: &Need) -> Result<Option<ShownRequest>, Failure> {
    let workspace = Some(need.room_id.to_string());
    let opened = look.ask::<Open>(OpenInput { id: need.reference.clone(), offset: None, workspace })?;
    Ok(match opened.what {
        What::Approval(approval) => ShownRequest::of(*approval),
        _ => None,
    })
}

fn nothing(look: &Look<'_>, open: &[RoomGlance]) -> Markup {
    empty(
        "Nothing needs you",
        html! {
            p { "Questions, approvals, messages, failures and sticks that nobody moves appear here by themselves." }
            @if open.is_empty() {
                p { "To begin, give the agents on this machine Baton's tools, " (cli(&look.store_command("install --all"))) ", or join a workspace yourself: " (cli(&look.store_command("join"))) }
            }
        },
    )
}
