//! Giving a session another name.

use baton_core::ids::RoomId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Session;
use crate::{
    App, Caller, Failure, Rights,
    app::Request,
    table::{Access, BUS, Effect, Place, UseCase},
};

/// `bus.rename`
pub struct Rename;

/// Which name.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RenameInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
    pub name: String,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// The session.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct RenameResult {
    pub session: Session,
}

impl UseCase for Rename {
    const NAME: &'static str = "bus.rename";
    const PLACE: Place = Place::Portal(&BUS);
    const WIRE: Option<&'static str> = Some("session.update");
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::AGENTS.without_jobs(None);
    const ABOUT: &'static str = "Give a session another name.";
    type Input = RenameInput;
    type Output = RenameResult;

    fn perform(app: &App, caller: &Caller, input: RenameInput) -> Result<RenameResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            if caller.rights() < Rights::Operator {
                change.require_agent()?;
            }
            change.decide(|room, _| room.rename(&input.name))?;
            Ok(RenameResult { session: Session::of(&change.room) })
        })
    }
}
