//! What needs you first, then what you hold, then everything else.

use baton_app::{
    Failure,
    commands::{
        agent::{Need, Needs, NeedsInput},
        room::{Overview, OverviewInput, OverviewResult, RoomGlance, State, StateInput},
    },
};
use maud::{Markup, html};

use super::{card::card, glance::glance};
use crate::web::{
    at::path,
    look::Look,
    page::{Page, Place, Region},
    parts::{Names, cli, empty, room_name, stick},
};

/// Needs that are asked for at once, and how often.
const NEEDS: u32 = 50;
const ASKED: usize = 4;
/// Rooms at a glance.
const ROOMS: u32 = 24;

/// `GET /`
pub(in crate::web::pages) fn page(look: &Look<'_>) -> Result<Page, Failure> {
    let (needs, has_more) = needs(look)?;
    let overview = look.ask::<Overview>(OverviewInput { offset: None, limit: Some(ROOMS) })?;
    Ok(Page::new("Now", Place::Now)
        .region(Region::new("needs", waiting(look, &needs, has_more, overview.rooms.is_empty())))
        .region(Region::new("held", held(look, &overview.rooms)?))
        .region(Region::new("rooms", rooms(look, &overview)?)))
}

/// What waits, oldest first, as much as a page holds.
fn needs(look: &Look<'_>) -> Result<(Vec<Need>, bool), Failure> {
    let (mut found, mut after) = (Vec::new(), None);
    for _ in 0..ASKED {
        let answer = look.ask::<Needs>(NeedsInput { room_id: None, after, limit: Some(NEEDS) })?;
        found.extend(answer.needs);
        after = answer.next;
        if after.is_none() {
            return Ok((found, answer.has_more));
        }
    }
    Ok((found, true))
}

fn waiting(look: &Look<'_>, needs: &[Need], has_more: bool, is_new: bool) -> Markup {
    html! {
        div.region-head { h2 { "Needs you" } @if !needs.is_empty() { span.count { (needs.len()) @if has_more { "+" } } } (cli("baton needs")) }
        @if needs.is_empty() && is_new {
            (empty("Nothing needs you, and nothing happens yet.", html! {
                p { "Register Baton in your agents, and open a workspace with them:" }
                p { (cli("baton install --all")) }
                p { "Or join a workspace's room yourself, in its directory:" }
                p { (cli("baton join")) }
            }))
        } @else if needs.is_empty() {
            (empty("Nothing needs you.", html! { p { "Questions, requests, failures and collisions will show up here by themselves." } }))
        }
        div.cards.needs data-still { @for need in needs { (card(look, need)) } }
        @if has_more { p.quiet { "More waits than fits here. Deal with these, and the rest follows." } }
    }
}

/// The sticks that you hold, with what you can do with them.
fn held(look: &Look<'_>, rooms: &[RoomGlance]) -> Result<Markup, Failure> {
    let you = look.caller.actor().agent_id;
    let mut cards = Vec::new();
    for glance in rooms.iter().filter(|glance| glance.room.owner.as_ref() == Some(&you)) {
        let room = &glance.room;
        let state = look.ask::<State>(StateInput { room_id: room.room_id.clone() })?;
        let names: Names = glance.agents.iter().map(|agent| (agent.agent_id.clone(), agent.name.clone())).collect();
        let name = room_name(room.name.as_deref(), room.canonical_path.as_deref(), &room.room_id);
        cards.push(html! {
            article.card.good data-row id={ "held-" (room.room_id) } {
                h3 { "You hold the stick of " a href=(path(&["rooms", room.room_id.as_str()])) { bdi { (name) } } }
                (stick::hand_on(look, &state, &names))
            }
        });
    }
    Ok(html! { @if !cards.is_empty() { h2 { "In your hands" } div.cards { @for card in cards { (card) } } } })
}

fn rooms(look: &Look<'_>, overview: &OverviewResult) -> Result<Markup, Failure> {
    let mut cards = Vec::new();
    for room in &overview.rooms {
        cards.push(glance(look, room)?);
    }
    Ok(html! {
        @if !cards.is_empty() { div.region-head { h2 { "Rooms" } a href="/rooms" { "All rooms" } } }
        div.glances { @for card in cards { (card) } }
    })
}
