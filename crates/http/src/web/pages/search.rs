//! Search over everything: what is kept and was said in every room, and what agents and rooms are called.

use baton_app::{
    Failure,
    commands::{
        agent,
        library::{Hit, Search, SearchInput},
        room::{List, ListInput},
    },
    view::PathRoom,
};
use baton_core::{code::ErrorCode, ids::RoomId, search::DocumentKind};
use maud::{Markup, html};

use crate::web::{
    at::path,
    look::Look,
    page::{Page, Place, Region},
    parts::{cli, empty, reference, room_name},
};

/// Rooms that are searched, those that changed last first.
const ROOMS: usize = 24;
/// Hits in each.
const HITS: u32 = 20;

/// `GET /search?q=…&kind=…&room=…`
pub(super) fn page(look: &Look<'_>) -> Result<Page, Failure> {
    let asked = look.at.query("q").unwrap_or_default();
    let page = Page::new("Search", Place::Search);
    let found = if asked.trim().is_empty() { begin(look) } else { found(look, asked)? };
    Ok(page.region(Region::new("filters", filters(look))).region(Region::new("hits", found)))
}

fn begin(look: &Look<'_>) -> Markup {
    empty(
        "What are you looking for?",
        html! {
            p { "Words from tasks, jobs and what was said on them, handoffs, messages, notes, cards, plans, files and agents, in every room. "
                "The beginning of a word is enough; what stands together (" code { "src/lib.rs" } ") is found together." }
            p { (cli(&look.store_command("search WORD"))) }
        },
    )
}

/// What to look in, as links: the address says it, so it can be kept and sent.
fn filters(look: &Look<'_>) -> Markup {
    let now = look.at.query("kind").unwrap_or_default();
    let link = |kind: &str, name: &str| {
        html! { a href=(look.at.with(&[("kind", kind)])) aria-current=[(now == kind).then_some("true")] { (name) } }
    };
    html! {
        nav.filters aria-label="What to look in" {
            (link("", "Everything"))
            @for kind in DocumentKind::ALL { (link(kind.as_str(), &kind.as_str().replace('_', " "))) }
        }
        @if look.at.query("room").is_some() { p { "In one room. " a href=(look.at.with(&[("room", "")])) { "In all rooms" } } }
    }
}

fn found(look: &Look<'_>, asked: &str) -> Result<Markup, Failure> {
    let kind = look.at.query("kind");
    let kinds: Vec<_> = DocumentKind::ALL.iter().copied().filter(|known| kind == Some(known.as_str())).collect();
    let listed = look.ask::<List>(ListInput { context_path: None, all: true })?.rooms;
    let wanted = look.at.query("room");
    let rooms = listed.iter().filter(|room| wanted.is_none_or(|wanted| room.room_id.as_str() == wanted)).take(ROOMS);
    let mut sections = Vec::new();
    let mut left = None;
    for room in rooms {
        let input = SearchInput {
            room_id: room.room_id.clone(),
            query: asked.to_owned(),
            kinds: kinds.clone(),
            limit: Some(HITS),
        };
        let result = match look.ask_without_writing::<Search>(input) {
            Ok(result) => result,
            Err(failure) if failure.code == ErrorCode::InvalidInput => return Ok(refused(&failure)),
            Err(failure) => return Err(failure),
        };
        left = left.or(result.not_searched);
        let agents = if kinds.is_empty() { named(look, &room.room_id, asked)? } else { Vec::new() };
        if !result.hits.is_empty() || !agents.is_empty() {
            sections.push(section(look, room, &agents, &result.hits, result.has_more));
        }
    }
    Ok(html! {
        @if let Some(left) = left { p.notice { "Not searched: " (left) } }
        @if sections.is_empty() {
            (empty("Nothing has all these words.", html! { p { "Try fewer words, or the beginning of one." } }))
        }
        @for section in sections { (section) }
    })
}

fn refused(failure: &Failure) -> Markup {
    html! { p.notice role="alert" { (failure.message) " " (failure.next) } }
}

/// Agents that are called so.
fn named(look: &Look<'_>, room: &RoomId, asked: &str) -> Result<Vec<agent::AgentView>, Failure> {
    let listed = look.ask::<agent::List>(agent::ListInput { room_id: room.clone(), all: true })?;
    let words: Vec<String> = asked.split_whitespace().map(str::to_lowercase).collect();
    let is_called = |agent: &agent::AgentView| {
        let names = format!("{} {}", agent.name, agent.agent_id).to_lowercase();
        words.iter().all(|word| names.contains(word))
    };
    Ok(listed.agents.into_iter().filter(is_called).collect())
}

fn section(look: &Look<'_>, room: &PathRoom, agents: &[agent::AgentView], hits: &[Hit], has_more: bool) -> Markup {
    let id = &room.room_id;
    let name = room_name(None, room.canonical_path.as_deref(), id);
    html! {
        section.found id={ "found-" (id) } {
            h2 { a href=(path(&["rooms", id.as_str()])) { bdi { (name) } } }
            ol.hits role="list" {
                @for agent in agents {
                    li data-row {
                        p { span.badge { "agent" } " " a.agent href=(path(&["rooms", id.as_str(), "agents", agent.agent_id.as_str()])) { bdi { (agent.name) } } " "
                            span.quiet { bdi { (agent.agent_id) } } }
                    }
                }
                @for hit in hits {
                    li data-row {
                        p { span.badge { (hit.kind.as_str().replace('_', " ")) } " " (reference(id, &hit.reference.to_string())) " " bdi { (hit.title) } }
                        @if !hit.snippet.is_empty() { p.quiet dir="auto" { (hit.snippet) } }
                    }
                }
            }
            @if has_more { p { a href=(look.at.with(&[("room", id.as_str())])) { "More in this room: add words, or look here alone." } } }
        }
    }
}
