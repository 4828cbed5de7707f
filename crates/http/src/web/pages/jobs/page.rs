//! The page, of one room and of all.

use baton_app::{
    Failure,
    commands::jobs::{Overview, OverviewInput, OverviewResult, OverviewRoom},
};
use baton_core::ids::RoomId;
use maud::{Markup, html};

use super::{
    counts::{bootstrap, chips},
    filter::{CURSOR, Filter},
    row::{Question, table},
    runners::runners,
};
use crate::web::{
    at::path,
    look::Look,
    page::{Page, Place, Region},
    parts::{cli, delegate_link, empty, room_name},
};

/// Jobs on a page.
const ROWS: usize = 60;
/// How often the store is asked for more of them: it answers with as many as an agent can read.
const ASKED: usize = 6;

/// `GET /jobs`
pub(in crate::web::pages) fn page(look: &Look<'_>) -> Result<Page, Failure> {
    build(look, None)
}

/// `GET /rooms/{room}/jobs`
pub(in crate::web::pages) fn of_room(look: &Look<'_>) -> Result<Page, Failure> {
    build(look, Some(&look.param("room")?))
}

fn build(look: &Look<'_>, room: Option<&RoomId>) -> Result<Page, Failure> {
    let filter = Filter::of(look.at, room);
    let seen = see(look, &filter)?;
    let questions = Question::find(look, &seen.jobs)?;
    let counts = seen.counts.clone().unwrap_or_default();
    let page = Page::new("Jobs", Place::Jobs).lead(lead(look, room, &seen.rooms));
    let page = match room {
        Some(room) => page.of(room),
        None => page,
    };
    let radar = html! {
        h2.hidden { "Radar" }
        @if seen.jobs.is_empty() { (nothing(look, &filter)) } @else { (table(look, &seen, &questions, room.is_none())) }
        (further(look, &filter, &seen))
    };
    Ok(page
        .region(Region::new("counts", html! { (bootstrap(&seen.rooms)) (chips(look, &filter, &counts)) }))
        .region(Region::new("filter", filter.form(look)))
        .region(Region::new("radar", radar))
        .region(Region::new("runners", runners(look, &counts.runners, &seen, room))))
}

/// As many jobs as a page has room for.
fn see(look: &Look<'_>, filter: &Filter) -> Result<OverviewResult, Failure> {
    let mut seen = look.ask::<Overview>(OverviewInput { limit: Some(ROWS as u32), ..filter.input.clone() })?;
    for _ in 1..ASKED {
        let (Some(cursor), left) = (seen.cursor, ROWS.saturating_sub(seen.jobs.len())) else { break };
        if left == 0 {
            break;
        }
        let input =
            OverviewInput { cursor: Some(cursor), limit: Some(left as u32), only_jobs: true, ..filter.input.clone() };
        let more = look.ask::<Overview>(input)?;
        seen.jobs.extend(more.jobs);
        let new = more.rooms.into_iter().filter(|room| seen.rooms.iter().all(|known| known.room_id != room.room_id));
        let new: Vec<OverviewRoom> = new.collect();
        seen.rooms.extend(new);
        (seen.has_more, seen.cursor) = (more.has_more, more.cursor);
    }
    Ok(seen)
}

fn lead(look: &Look<'_>, room: Option<&RoomId>, rooms: &[OverviewRoom]) -> Markup {
    let called = |id: &RoomId| {
        let known = rooms.iter().find(|room| room.room_id == *id);
        known.map_or_else(|| id.to_string(), |room| room_name(room.name.as_deref(), room.canonical_path.as_deref(), id))
    };
    html! {
        @match room {
            Some(room) => {
                p.quiet { "in " a href=(path(&["rooms", room.as_str()])) { bdi { (called(room)) } } " · " a href="/jobs" { "all rooms" } }
            }
            None => p.quiet { "in all rooms" },
        }
        p.tools {
            (delegate_link(look, &[]))
            (cli(&room.map_or_else(|| look.store_command("job overview"), |room| look.command("radar", room))))
        }
    }
}

fn nothing(look: &Look<'_>, filter: &Filter) -> Markup {
    match filter.narrows() {
        true => empty("No job is like that", html! { p { a href=(look.at.path()) { "Show all that are not over" } } }),
        false => empty(
            "No jobs wait or run",
            html! {
                p { "Delegate a piece of work, and a runner takes it up: " (delegate_link(look, &[])) }
                p { "The same in a terminal: " (cli(&look.store_command("job create TITLE --prompt …"))) }
            },
        ),
    }
}

/// Where older or newer ones are.
fn further(look: &Look<'_>, filter: &Filter, seen: &OverviewResult) -> Markup {
    let is_later = filter.input.cursor.is_some();
    html! {
        @if is_later || seen.has_more {
            p.tools.further {
                @if is_later { a.button href=(look.at.with(&[(CURSOR, "")])) rel="first" { "First" } }
                @match seen.cursor {
                    Some(cursor) => a.button href=(look.at.with(&[(CURSOR, &cursor.to_string())])) rel="next" { "More" },
                    None if seen.has_more => span.quiet { "There are more. Narrow them down, or look into one room." },
                    None => {}
                }
            }
        }
        @if seen.more_rooms { p.quiet { "Rooms in which nothing happened lately are left out." } }
    }
}
