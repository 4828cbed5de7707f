//! Which packs there are.

use baton_core::{ids::RoomId, library::ArtifactId, limits};
use baton_store::library;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PackView;
use crate::{
    App, Caller, Failure,
    bounds::{self, Page},
    packs,
    presence::{self, Effort},
    table::{CONTEXT, Effect, Place, UseCase},
};

/// `context.list`
pub struct List;

/// Which packs.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListInput {
    pub room_id: RoomId,
    /// Only those for this one: name, id or JOB-001
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Only older ones: the number of the last one seen
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u32>,
    /// 1 to 200; default 25
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Packs, newest first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListResult {
    pub room_id: RoomId,
    pub packs: Vec<PackView>,
    /// Whether there are more: ask again with `before` the number of the last one.
    pub has_more: bool,
}

impl UseCase for List {
    const NAME: &'static str = "context.list";
    const PLACE: Place = Place::Portal(&CONTEXT);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "List the context packs that were kept, newest first. `open` shows what is in one.";
    type Input = ListInput;
    type Output = ListResult;

    fn perform(app: &App, caller: &Caller, input: ListInput) -> Result<ListResult, Failure> {
        let limit = bounds::limit(input.limit, limits::CARDS_DEFAULT, limits::CARDS_MAX)?;
        let before = input.before.map(ArtifactId);
        let (mut room, found, now) = app.store.read(|tx| {
            let room = app.room(tx, &input.room_id)?;
            let node = match input.agent.as_deref() {
                Some(named) => Some(packs::node(tx, &room, caller, Some(named), None)?),
                None => None,
            };
            let found = library::packs(tx, &room.id, node.as_ref(), before, limit + 1)?;
            Ok::<_, Failure>((room, found, tx.now()?))
        })?;
        presence::refresh(app, caller, &mut room, now, Effort::Try)?;
        let packs = Page::default().fill(&found, limit, PackView::from);
        let has_more = packs.len() < found.len();
        Ok(ListResult { packs, room_id: room.id, has_more })
    }
}
