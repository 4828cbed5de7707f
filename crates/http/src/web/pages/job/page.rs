//! The page, and all that it asks the store for.

use baton_app::{
    Failure,
    commands::{
        jobs::{JobEvent, JobView, Open, OpenInput, OpenResult},
        library::{ArtifactList, ArtifactListInput, ArtifactView},
        room::{Recent, RecentInput},
        turn::{List, ListInput, TurnView},
    },
};
use baton_core::{
    ids::{RoomId, Seq},
    job::JobId,
};
use maud::html;

use super::{facts, left, log, proof, slices, thread};
use crate::web::{
    at::path,
    look::Look,
    page::{Page, Place, Region},
    parts::{Names, RoomPage, delegate_link, prose, room_nav},
};

/// Events of the thread on a page.
const EVENTS: usize = 60;
/// How often the store is asked for more of them.
const ASKED: usize = 5;
/// Slices and files on a page.
const LEFT: u32 = 40;

/// A job, and all that a page shows of it.
pub(super) struct Seen {
    pub(super) room: RoomId,
    pub(super) names: Names,
    pub(super) job: JobView,
    pub(super) opened: OpenResult,
    /// Oldest first.
    pub(super) events: Vec<JobEvent>,
    /// Where older ones are.
    pub(super) before: Option<Seq>,
    /// Newest first.
    pub(super) turns: Vec<TurnView>,
    /// Newest first.
    pub(super) artifacts: Vec<ArtifactView>,
}

/// `GET /rooms/{room}/jobs/{job}`
pub(in crate::web::pages) fn page(look: &Look<'_>) -> Result<Page, Failure> {
    let seen = see(look)?;
    let (id, room) = (seen.job.job.to_string(), &seen.room);
    let task = seen.job.task.map(|task| task.to_string()).unwrap_or_default();
    let lead = html! {
        p.quiet { bdi { (seen.job.title) } " · " a href=(path(&["rooms", room.as_str(), "jobs"])) { "all jobs of the room" } }
        p.tools { (delegate_link(look, &[("task", &task), ("title", &seen.job.title)])) }
        (room_nav(room, RoomPage::Other, &[]))
    };
    let prompt = seen.opened.prompt.clone().unwrap_or_default();
    let mut page = Page::new(id, Place::Jobs).of(room).lead(lead);
    page.conversation = true;
    // What a program prints is no event.
    page.restless = seen.turns.first().is_some_and(|turn| turn.outcome.is_none());
    Ok(page
        .region(Region::new("job", facts::facts(look, &seen)))
        .region(Region::new("thread", thread::thread(look, &seen)))
        .region(Region::new("log", log::log(look, &seen)?))
        .region(Region::new("proof", proof::proof(look, &seen)))
        .region(Region::new("diff", left::latest_diff(look, &seen)?))
        .region(Region::new("slices", slices::slices(look, &seen)))
        .region(Region::new("prompt", html! { h2 { "What it asks" } (prose(&prompt)) })))
}

fn see(look: &Look<'_>) -> Result<Seen, Failure> {
    let (room, id): (RoomId, JobId) = (look.param("room")?, look.param("job")?);
    let ask = |before: Option<Seq>, limit: usize, include_prompt: bool| {
        look.ask::<Open>(OpenInput {
            room_id: room.clone(),
            job: id,
            before,
            limit: Some(limit as u32),
            without_progress: look.at.query("progress") == Some("no"),
            include_prompt,
        })
    };
    let mut opened = ask(look.at.parsed::<u64>("before").map(Seq), EVENTS, true)?;
    let mut events = std::mem::take(&mut opened.events);
    let mut before = opened.before;
    for _ in 1..ASKED {
        let left = EVENTS.saturating_sub(events.len());
        let Some(place) = before.filter(|_| left > 0) else { break };
        let more = ask(Some(place), left, false)?;
        events.extend(more.events);
        before = more.before;
    }
    events.reverse();
    let turns = look.ask::<List>(ListInput {
        room_id: room.clone(),
        agent: None,
        job: Some(id),
        before: None,
        limit: Some(LEFT),
    })?;
    let files = ArtifactListInput {
        room_id: room.clone(),
        job: Some(id),
        node: None,
        turn: None,
        kind: None,
        before: None,
        limit: Some(LEFT),
    };
    let files = look.ask::<ArtifactList>(files)?;
    let recent = look.ask::<Recent>(RecentInput { room_id: Some(room.clone()), limit: Some(1) })?;
    let names = recent.rooms.into_iter().next().map(|room| room.names).unwrap_or_default();
    let job = opened.job.clone();
    Ok(Seen { room, names, job, opened, events, before, turns: turns.turns, artifacts: files.artifacts })
}
