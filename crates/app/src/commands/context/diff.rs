//! What two packs differ in.

use baton_core::{
    context::{self, FieldDiff},
    ids::RoomId,
    reference::Reference,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure, packs,
    table::{CONTEXT, Effect, Place, UseCase},
};

/// `context.diff`
pub struct Diff;

/// Which packs.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiffInput {
    pub room_id: RoomId,
    /// contextpack://pack/…
    pub first: String,
    /// contextpack://pack/…
    pub second: String,
}

/// What differs, field by field; nothing, if nothing does.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct DiffResult {
    pub room_id: RoomId,
    #[schemars(with = "String")]
    pub first: Reference,
    #[schemars(with = "String")]
    pub second: Reference,
    pub differences: Vec<FieldDiff>,
}

impl UseCase for Diff {
    const NAME: &'static str = "context.diff";
    const PLACE: Place = Place::Portal(&CONTEXT);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "What two context packs differ in, field by field.";
    type Input = DiffInput;
    type Output = DiffResult;

    fn perform(app: &App, _: &Caller, input: DiffInput) -> Result<DiffResult, Failure> {
        let (first, second) = (packs::pack_id("first", &input.first)?, packs::pack_id("second", &input.second)?);
        app.store.read(|tx| app.room(tx, &input.room_id))?;
        let (_, before) = app.read_pack(&input.room_id, &first)?;
        let (_, after) = app.read_pack(&input.room_id, &second)?;
        Ok(DiffResult {
            room_id: input.room_id,
            first: Reference::Pack(first),
            second: Reference::Pack(second),
            differences: context::diff(&before, &after),
        })
    }
}
