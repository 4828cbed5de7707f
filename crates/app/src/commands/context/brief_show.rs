//! What a room is for.

use baton_core::ids::RoomId;
use baton_store::table;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BriefResult;
use crate::{
    App, Caller, Failure,
    presence::{self, Effort},
    table::{CONTEXT, Effect, Place, UseCase},
};

/// `context.brief.show`
pub struct BriefShow;

/// Which room.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BriefShowInput {
    pub room_id: RoomId,
}

impl UseCase for BriefShow {
    const NAME: &'static str = "context.brief.show";
    const PLACE: Place = Place::Portal(&CONTEXT);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "What the room is for: goal, definition of done, mode, documents, constraints.";
    type Input = BriefShowInput;
    type Output = BriefResult;

    fn perform(app: &App, caller: &Caller, input: BriefShowInput) -> Result<BriefResult, Failure> {
        let (mut room, found, now) = app.store.read(|tx| {
            let room = app.room(tx, &input.room_id)?;
            let found = table::find(tx, &room.id, &())?;
            Ok::<_, Failure>((room, found, tx.now()?))
        })?;
        presence::refresh(app, caller, &mut room, now, Effort::Try)?;
        Ok(BriefResult::of(room.id, found))
    }
}
