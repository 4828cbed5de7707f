//! Looking for words in what is kept.

use baton_core::{
    code::ErrorCode,
    ids::{RoomId, Seq},
    limits,
    reference::Reference,
    search::{DocumentKind, Query, searchable},
};
use baton_store::{log, search};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure, Rights,
    bounds::{self, Page},
    presence,
    table::{Access, Effect, Permission, Place, TASKS, UseCase},
};

/// Events that go into the index in one transaction, so that no other writer waits for long.
const CHUNK: u32 = 500;
/// Chunks that one search adds at most: a long log that was never searched takes several.
const CHUNKS: u32 = 40;

/// `tasks.search`
pub struct Search;

/// What to look for.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchInput {
    pub room_id: RoomId,
    /// Words that must all occur, from their beginning
    pub query: String,
    /// Only these
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<DocumentKind>,
    /// 1 to 100; default 20
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// What was found, the best first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct SearchResult {
    pub room_id: RoomId,
    pub hits: Vec<Hit>,
    /// Whether there are more: add words, or raise `limit`.
    pub has_more: bool,
    /// What was not searched, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_searched: Option<String>,
}

/// Something that was found.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Hit {
    /// What to open.
    #[serde(rename = "ref")]
    #[schemars(with = "String")]
    pub reference: Reference,
    pub kind: DocumentKind,
    pub title: String,
    /// The words in their place.
    pub snippet: String,
}

impl UseCase for Search {
    const NAME: &'static str = "tasks.search";
    const PLACE: Place = Place::Portal(&TASKS);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access { viewer: Permission::Yes, ..Access::limited("no messages") };
    const ABOUT: &'static str = "Look for words in all that is kept and was said.";
    type Input = SearchInput;
    type Output = SearchResult;

    fn perform(app: &App, caller: &Caller, input: SearchInput) -> Result<SearchResult, Failure> {
        let limit = bounds::limit(input.limit, limits::HITS_DEFAULT, limits::HITS_MAX)?;
        let query = Query::read(&input.query).ok_or_else(|| {
            let message = format!("query: needs at least one word, and at most {} characters.", limits::QUERY_CHARS);
            Failure::new(ErrorCode::InvalidInput, message).with("field", "query")
        })?;
        let kinds = open_to(caller, &input.kinds)?;
        let not_searched = catch_up(app, &input.room_id)?;
        let (room, mut found) = presence::read(app, caller, &input.room_id, |tx, room, _| {
            let places = search::find(tx, &room.id, &query, &kinds, limit + 1)?;
            let found = log::find_all(tx, &room.id, &places)?;
            Ok(found)
        })?;
        let more = found.len() > limit as usize;
        found.truncate(limit as usize);
        let hit = |recorded| {
            let document = searchable(recorded)?;
            let snippet = document.snippet(&query);
            Some(Hit { reference: document.reference, kind: document.kind, title: document.title, snippet })
        };
        let mut page = Page::default();
        let hits: Vec<Hit> = found.iter().filter_map(hit).take_while(|hit| page.takes(hit)).collect();
        let has_more = more || hits.len() < found.len();
        Ok(SearchResult { room_id: room.id, hits, has_more, not_searched })
    }
}

/// What of `wanted` the caller may find. A message is for whom it was sent to, and for people who watch over them all.
fn open_to(caller: &Caller, wanted: &[DocumentKind]) -> Result<Vec<DocumentKind>, Failure> {
    if caller.rights() != Rights::Agent {
        return Ok(wanted.to_vec());
    }
    if wanted.contains(&DocumentKind::Message) {
        let message = "kinds: messages are found by people only.";
        return Err(Search::ACCESS
            .operator_needed(caller.role(), message)
            .with("field", "kinds")
            .advising("Yours are in your inbox: `inbox list`. Leave message out of kinds."));
    }
    let wanted = if wanted.is_empty() { DocumentKind::ALL } else { wanted };
    Ok(wanted.iter().copied().filter(|kind| *kind != DocumentKind::Message).collect())
}

/// Adds what happened since somebody last looked to the room's index. Where that cannot be written, what is there is
/// searched; gives what is not, and why.
fn catch_up(app: &App, id: &RoomId) -> Result<Option<String>, Failure> {
    let (last, mut indexed) = app.store.read(|tx| {
        let room = app.room(tx, id)?;
        Ok::<_, Failure>((room.last_seq, search::progress(tx, id)?))
    })?;
    for _ in 0..CHUNKS {
        if indexed >= last {
            return Ok(None);
        }
        match app.store.write(|tx| add(tx, id)) {
            Ok(reached) => indexed = reached,
            // Nobody may write there now. A search of what is indexed is better than none, if it says so.
            Err(failure)
                if matches!(failure.code, ErrorCode::StoreNewer | ErrorCode::StoreReadOnly | ErrorCode::StoreBusy) =>
            {
                return Ok(Some(format!("events {} to {last}: {}", indexed.next(), failure.message)));
            }
            Err(failure) => return Err(failure),
        }
    }
    Ok((indexed < last).then(|| format!("events {} to {last}: search again to have them added", indexed.next())))
}

/// Adds the next events, and gives the last of them.
fn add(tx: &mut dyn baton_store::engine::Tx, room: &RoomId) -> Result<Seq, Failure> {
    search::alone(tx, room)?;
    let indexed = search::progress(tx, room)?;
    let events = log::after(tx, room, indexed, CHUNK)?;
    search::add(tx, room, &events)?;
    Ok(events.last().map_or(indexed, |event| event.seq))
}
