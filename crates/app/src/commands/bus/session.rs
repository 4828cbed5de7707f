//! One session.

use baton_core::ids::RoomId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Session;
use crate::{
    App, Caller, Failure,
    table::{BUS, Effect, Place, UseCase},
};

/// `bus.session`
pub struct Get;

/// Which session.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
}

/// The session.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct GetResult {
    pub session: Session,
}

impl UseCase for Get {
    const NAME: &'static str = "bus.session";
    const PLACE: Place = Place::Portal(&BUS);
    const WIRE: Option<&'static str> = Some("session.get");
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "One session: its name, whether it is open, and its newest event.";
    type Input = GetInput;
    type Output = GetResult;

    fn perform(app: &App, _caller: &Caller, input: GetInput) -> Result<GetResult, Failure> {
        app.store.read(|tx| Ok(GetResult { session: Session::of(&app.room(tx, &input.room_id)?) }))
    }
}
