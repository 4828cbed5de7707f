//! The map: describing its parts and listing them.

use baton_core::{
    ids::{AnchorId, RoomId},
    library::AnchorDraft,
    limits,
};
use baton_store::library;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::AnchorView;
use crate::{
    App, Caller, Failure,
    app::Request,
    bounds::{self, Page},
    presence,
    table::{Effect, Place, TASKS, UseCase},
};

/// `tasks.anchor.set`
pub struct AnchorSet;

/// What part of the map.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnchorSetInput {
    pub room_id: RoomId,
    /// a:core
    pub anchor: AnchorId,
    pub title: String,
    /// What belongs to it
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// A part of the map, and where it is.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct AnchorResult {
    pub room_id: RoomId,
    #[serde(flatten)]
    pub anchor: AnchorView,
}

impl UseCase for AnchorSet {
    const NAME: &'static str = "tasks.anchor.set";
    const PLACE: Place = Place::Portal(&TASKS);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Describe a part of the map that jobs and cards are about, or describe it anew.";
    type Input = AnchorSetInput;
    type Output = AnchorResult;

    fn perform(app: &App, caller: &Caller, input: AnchorSetInput) -> Result<AnchorResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            let draft =
                AnchorDraft { anchor: input.anchor.clone(), title: input.title.clone(), text: input.text.clone() };
            change.record(draft.set()?)?;
            let (anchor, title) = (input.anchor.clone(), input.title.trim().to_owned());
            let anchor = AnchorView { anchor, title, updated_at: change.now };
            Ok(AnchorResult { room_id: change.room.id.clone(), anchor })
        })
    }
}

/// `tasks.anchor.list`
pub struct AnchorList;

/// Which parts.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnchorListInput {
    pub room_id: RoomId,
    /// Only those after this one
    pub after: Option<AnchorId>,
    /// 1 to 200; default 25
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
        let (room, found) = presence::read(app, caller, &input.room_id, |tx, room, _| {
            Ok(library::anchors(tx, &room.id, input.after.as_ref(), limit + 1)?)
        })?;
        let anchors = Page::default().fill(&found, limit, AnchorView::from);
        let has_more = anchors.len() < found.len();
        Ok(AnchorListResult { anchors, room_id: room.id, has_more })
    }
}
