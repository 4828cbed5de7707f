//! What is going on around a path.

use std::path::Path;

use baton_core::{ids::RoomId, limits};
use baton_store::rooms;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure, paths,
    table::{Effect, Place, Tier, UseCase},
    view::PathRoom,
};

/// `room.list`
pub struct List;

/// What to list.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListInput {
    /// Default: the current directory
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_path: Option<String>,
    /// Every room on this store
    #[serde(default)]
    pub all: bool,
}

/// Rooms, the deepest first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListRoomsResult {
    pub rooms: Vec<PathRoom>,
    /// Set when there are more than fit; name a path to see its rooms.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_more: bool,
    /// What to do where there is no room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl UseCase for List {
    const NAME: &'static str = "room.list";
    const PLACE: Place = Place::Tool("list_rooms", Tier::Daily);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str =
        "List the rooms of this workspace: who holds the stick, who is next. Call it before join_path.";
    type Input = ListInput;
    type Output = ListRoomsResult;

    fn perform(app: &App, caller: &Caller, input: ListInput) -> Result<ListRoomsResult, Failure> {
        let path = input.context_path.as_deref().unwrap_or(".");
        let all = input.all || input.context_path.is_none() && caller.is_from_afar();
        let places = match all {
            true => Vec::new(),
            false => paths::resolve(Path::new(path), &caller.cwd, app.environment.home())?.ancestors,
        };
        let viewer = caller.actor();
        let found: Vec<PathRoom> = app.store.read(|tx| {
            let ids: Vec<RoomId> =
                if all { rooms::recent(tx, limits::ROOMS_MAX)? } else { rooms::at_paths(tx, &places)? };
            let now = tx.now()?;
            ids.iter()
                .map(|id| {
                    let room = app.room(tx, id)?;
                    let eyes = app.eyes(tx, &room)?;
                    Ok(PathRoom::of(&room, now, &viewer, &eyes))
                })
                .collect::<Result<_, Failure>>()
        })?;
        let total = found.len();
        let mut bytes = 0;
        let fits = |room: &PathRoom| {
            bytes += serde_json::to_string(room).map_or(0, |json| json.len());
            bytes <= limits::LISTING_BYTES
        };
        let rooms: Vec<PathRoom> = found.into_iter().take_while(fits).collect();
        let next = rooms.is_empty().then(|| "There is no room here yet: `join_path` opens one.".to_owned());
        Ok(ListRoomsResult { has_more: rooms.len() < total, rooms, next })
    }
}
