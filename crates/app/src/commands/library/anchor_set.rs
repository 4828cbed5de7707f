//! Describing a part of the map.

use baton_core::{
    ids::{AnchorId, RoomId},
    library::AnchorDraft,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::AnchorView;
use crate::{
    App, Caller, Failure,
    app::Request,
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
