//! The map.

use baton_core::{
    ids::{AnchorId, RoomId},
    limits,
};
use baton_store::library;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::AnchorView;
use crate::{
    App, Caller, Failure,
    bounds::{self, Page},
    presence::{self, Effort},
    table::{Effect, Place, TASKS, UseCase},
};

/// `tasks.anchor.list`
pub struct AnchorList;

/// Which parts.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnchorListInput {
    pub room_id: RoomId,
    /// Only those after this one
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<AnchorId>,
    /// 1 to 200; default 25
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Parts of the map, by id.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct AnchorListResult {
    pub room_id: RoomId,
    pub anchors: Vec<AnchorView>,
    /// Whether there are more: ask again with `after` the last one.
    pub has_more: bool,
}

impl UseCase for AnchorList {
    const NAME: &'static str = "tasks.anchor.list";
    const PLACE: Place = Place::Portal(&TASKS);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "List the described parts of the map. `open` shows one with its cards and jobs.";
    type Input = AnchorListInput;
    type Output = AnchorListResult;

    fn perform(app: &App, caller: &Caller, input: AnchorListInput) -> Result<AnchorListResult, Failure> {
        let limit = bounds::limit(input.limit, limits::CARDS_DEFAULT, limits::CARDS_MAX)?;
        let (mut room, found, now) = app.store.read(|tx| {
            let room = app.room(tx, &input.room_id)?;
            let found = library::anchors(tx, &room.id, input.after.as_ref(), limit + 1)?;
            Ok::<_, Failure>((room, found, tx.now()?))
        })?;
        presence::refresh(app, caller, &mut room, now, Effort::Try)?;
        let anchors = Page::default().fill(&found, limit, AnchorView::from);
        let has_more = anchors.len() < found.len();
        Ok(AnchorListResult { anchors, room_id: room.id, has_more })
    }
}
