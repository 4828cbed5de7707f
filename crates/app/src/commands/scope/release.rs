//! Giving paths back.

use baton_core::{
    code::ErrorCode,
    ids::RoomId,
    scope::{Event, View},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    app::Request,
    scoping,
    table::{Effect, Place, SCOPE, UseCase},
};

/// `scope.release`
pub struct Release;

/// What to release.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReleaseInput {
    pub room_id: RoomId,
    /// As they were reserved
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// All that you have
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// What was released.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReleaseResult {
    pub room_id: RoomId,
    pub released: Vec<String>,
}

impl UseCase for Release {
    const NAME: &'static str = "scope.release";
    const PLACE: Place = Place::Portal(&SCOPE);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Give back paths that you have reserved.";
    type Input = ReleaseInput;
    type Output = ReleaseResult;

    fn perform(app: &App, caller: &Caller, input: ReleaseInput) -> Result<ReleaseResult, Failure> {
        if input.all != input.scopes.is_empty() {
            let message = "Name the scopes to release, or say all.";
            return Err(Failure::new(ErrorCode::InvalidArgs, message).with("field", "scopes"));
        }
        scoping::require_few(&input.scopes)?;
        let stale_after = app.stale_after()?;
        let named = app.scope_paths(&input.room_id, "scopes", &input.scopes);
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            change.require_agent()?;
            let root = scoping::root(&change.room)?;
            let named = named.clone()?;
            let scopes = change.scopes()?.clone();
            let view = View { room: &change.room, root: &root, now: change.now, stale_after, witness: change.witness };
            let events = scopes.release(view, &change.actor.agent_id, (!input.all).then_some(&named))?;
            let released = events.iter().filter_map(|event| match event {
                Event::Released(released) => Some(released.scope.clone()),
                _ => None,
            });
            let released = released.collect();
            change.record(events)?;
            Ok(ReleaseResult { room_id: change.room.id.clone(), released })
        })
    }
}
