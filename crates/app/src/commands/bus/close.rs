//! Ending a session.

use baton_core::{ids::RoomId, room::Closing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Session;
use crate::{
    App, Caller, Failure,
    app::Request,
    commands::room::end_bus,
    table::{Access, BUS, Effect, Place, UseCase},
};

/// `bus.close`
pub struct Close;

/// Which session.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloseInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
    /// Why
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// The session.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct CloseResult {
    pub session: Session,
}

impl UseCase for Close {
    const NAME: &'static str = "bus.close";
    const PLACE: Place = Place::Portal(&BUS);
    const WIRE: Option<&'static str> = Some("session.close");
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::limited_for_all("unless it is held").without_jobs(None);
    const ABOUT: &'static str = "End a session. Its log stays readable; what was asked of anybody ends in an error. Not while the stick is held.";
    type Input = CloseInput;
    type Output = CloseResult;

    fn perform(app: &App, caller: &Caller, input: CloseInput) -> Result<CloseResult, Failure> {
        let authority = caller.authority();
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            end_bus(change)?;
            let (expected_turn, reason) = (change.room.turn, input.reason.clone());
            let closing = Closing { expected_turn, lease_id: None, reason };
            change.decide(|room, call| room.close(call, &closing, authority))?;
            Ok(CloseResult { session: Session::of(&change.room) })
        })
    }
}
