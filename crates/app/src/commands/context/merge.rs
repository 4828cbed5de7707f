//! Making one pack of several.

use baton_core::{code::ErrorCode, context, ids::RoomId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PackResult, build::budget};
use crate::{
    App, Caller, Failure,
    app::Request,
    packs,
    table::{CONTEXT, Effect, Place, UseCase},
};

/// Most packs in one merge.
const PACKS: usize = 8;

/// `context.merge`
pub struct Merge;

/// Which packs.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MergeInput {
    pub room_id: RoomId,
    /// 2 to 8 packs; of two values the later one's counts
    pub packs: Vec<String>,
    /// 2000 to 6000 tokens; default 4000
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<u32>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

impl UseCase for Merge {
    const NAME: &'static str = "context.merge";
    const PLACE: Place = Place::Portal(&CONTEXT);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Make one context pack of several: values of the later ones count, lists are united.";
    type Input = MergeInput;
    type Output = PackResult;

    fn perform(app: &App, caller: &Caller, input: MergeInput) -> Result<PackResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        let budget = budget(input.budget)?;
        if !(2..=PACKS).contains(&input.packs.len()) {
            let message = format!("packs: {} were given; a merge takes 2 to {PACKS}.", input.packs.len());
            return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", "packs"));
        }
        app.store.read(|tx| app.room(tx, &input.room_id))?;
        let read = |reference: &String| {
            let (_, pack) = app.read_pack(&input.room_id, &packs::pack_id("packs", reference)?)?;
            Ok::<_, Failure>(pack)
        };
        let merged = input.packs.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let prepared = app.prepare_pack(context::merge_all(merged, budget))?;
        app.change(caller, &request, &input.room_id, |change| {
            let artifact = change.keep_pack(&prepared)?;
            Ok(PackResult::of(change.room.id.clone(), artifact, &prepared.pack, budget.tokens(), &[]))
        })
    }
}
