//! Every room at a glance: where its stick is, who is there, and what waits.

use std::collections::BTreeMap;

use baton_app::{
    Failure,
    commands::{
        agent::{Needs, NeedsInput},
        room::{Overview, OverviewInput, RoomGlance},
    },
};
use baton_core::{ids::RoomId, room::RoomState};
use maud::{Markup, html};

use crate::web::{
    at::path,
    look::Look,
    page::{Page, Place, Region},
    parts::{Names, agent, ago, cli, copy, deadline, empty, presence_dot, room_name, state_badge, state_tone},
};

/// Rooms on one page.
const ROOMS: usize = 60;
/// Answers that are asked for to count what waits.
const ANSWERS: usize = 4;
/// Members that are shown of a room.
const SHOWN: usize = 6;

/// `GET /rooms`
pub(super) fn page(look: &Look<'_>) -> Result<Page, Failure> {
    let skip = look.at.parsed("skip").unwrap_or(0);
    let (rooms, more) = newest(look, skip)?;
    let waiting = Waiting::of(look)?;
    let (over, open): (Vec<_>, Vec<_>) = rooms.iter().partition(|glance| glance.room.state == RoomState::Closed);
    let next = more.then(|| skip.saturating_add(rooms.len() as u32).to_string());
    let nothing = rooms.is_empty() && skip == 0;
    let list = html! {
        @if nothing { (no_rooms(look)) }
        @else if open.is_empty() { p.quiet { "No room is open here." } }
        @else { ul.rooms role="list" { @for glance in &open { (row(look, glance, &waiting)) } } }
    };
    let closed = html! {
        @if !over.is_empty() {
            details.closed { summary { h2 { "Closed, " (over.len()) } } ul.rooms role="list" { @for glance in &over { (row(look, glance, &waiting)) } } }
        }
    };
    let turning = html! {
        @if skip > 0 || next.is_some() {
            nav.turning aria-label="More rooms" {
                @if skip > 0 { a.button href=(look.at.with(&[("skip", "")])) { "Newest" } }
                @if let Some(next) = &next { a.button href=(look.at.with(&[("skip", next)])) { "Older" } }
            }
        }
    };
    let lead = html! { p.quiet { "One room for each workspace. " (cli(&look.store_command("room overview"))) } };
    Ok(Page::new("Rooms", Place::Rooms)
        .lead(lead)
        .region(Region::new("rooms", list))
        .region(Region::new("closed", closed))
        .region(Region::new("turning", turning)))
}

/// As many rooms as the page shows, from a place on, and whether there are more.
fn newest(look: &Look<'_>, skip: u32) -> Result<(Vec<RoomGlance>, bool), Failure> {
    let mut rooms: Vec<RoomGlance> = Vec::new();
    loop {
        let offset = skip.saturating_add(rooms.len() as u32);
        let limit = (ROOMS - rooms.len()) as u32;
        let found = look.ask::<Overview>(OverviewInput { offset: Some(offset), limit: Some(limit) })?;
        let none = found.rooms.is_empty();
        rooms.extend(found.rooms);
        if none || !found.has_more || rooms.len() >= ROOMS {
            return Ok((rooms, found.has_more));
        }
    }
}

/// How much waits for a person in each room.
struct Waiting {
    in_room: BTreeMap<RoomId, usize>,
    /// Whether there is more than was counted.
    more: bool,
}

impl Waiting {
    /// Counts what waits, as far as a few answers tell.
    fn of(look: &Look<'_>) -> Result<Self, Failure> {
        let (mut in_room, mut after) = (BTreeMap::new(), None);
        for _ in 0..ANSWERS {
            let found = look.ask::<Needs>(NeedsInput { room_id: None, after, limit: None })?;
            for need in found.needs {
                *in_room.entry(need.room_id).or_default() += 1;
            }
            after = found.cursor;
            if after.is_none() {
                return Ok(Self { in_room, more: found.has_more });
            }
        }
        Ok(Self { in_room, more: true })
    }

    fn shown(&self, room: &RoomId) -> Markup {
        html! {
            @if let Some(count) = self.in_room.get(room) {
                p { a.badge.ask href="/" data-waiting=(count) { @if self.more { "at least " } (count) @if *count == 1 { " waits for you" } @else { " wait for you" } } }
            }
        }
    }
}

fn row(look: &Look<'_>, glance: &RoomGlance, waiting: &Waiting) -> Markup {
    let RoomGlance { room, agents } = glance;
    let id = &room.room_id;
    let name = room_name(room.name.as_deref(), room.canonical_path.as_deref(), id);
    let names: Names = agents.iter().map(|agent| (agent.agent_id.clone(), agent.name.clone())).collect();
    let holder = room.owner.as_ref().or(room.reserved_for.as_ref());
    html! {
        li class={ "room " (state_tone(room.state)) } id=(id) data-room=(id) data-row {
            div.what {
                h2 { a href=(path(&["rooms", id.as_str()])) { bdi { (name) } } }
                @match &room.canonical_path {
                    Some(place) => p.quiet { code { bdi { (place) } } (copy(place, "path")) },
                    None => p.quiet { "no workspace " (copy(id.as_str(), "room id")) },
                }
            }
            div.stick {
                p { (state_badge(room.state)) @if let Some(holder) = holder { " " (agent(id, &names, holder)) } }
                p.quiet { "turn " (room.turn_id) @if let Some(until) = deadline(look, room) { ", " (until) } }
            }
            div.members {
                ul { @for member in agents.iter().take(SHOWN) { li { (presence_dot(member.liveness)) (agent(id, &names, &member.agent_id)) } } }
                @if agents.len() > SHOWN { p.quiet { "and " (agents.len() - SHOWN) " more" } }
                @if agents.is_empty() { p.quiet { "nobody" } }
            }
            div.when { p.quiet { "changed " (ago(look, room.updated_at)) } (waiting.shown(id)) }
        }
    }
}

fn no_rooms(look: &Look<'_>) -> Markup {
    empty(
        "No rooms yet",
        html! {
            p { "A room begins when somebody joins a workspace: an agent with Baton's tools does so by itself, and you do it with" }
            p { (cli(&look.store_command("join"))) }
            p { "To give the agents on this machine Baton's tools, run " (cli(&look.store_command("install"))) "." }
        },
    )
}
