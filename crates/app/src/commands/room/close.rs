//! Ending a room. It stays readable, and its path is free for a fresh one.

use baton_core::{
    bus::Connection,
    ids::{LeaseId, RoomId},
    lease::Fence,
    room::{Closing, RoomState},
    turn::Outcome,
};
use baton_store::{bus, turns};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    app::Request,
    table::{Access, Effect, Permission, Place, Tier, UseCase},
    unit::Change,
};

/// `room.close`
pub struct Close;

/// Which room to end.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloseInput {
    pub room_id: RoomId,
    pub expected_turn_id: Fence,
    /// Required while the stick is held: only its owner may close
    pub lease_id: Option<LeaseId>,
    /// Why
    pub reason: Option<String>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// The end.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct CloseRoomResult {
    pub room_id: RoomId,
    pub state: RoomState,
}

/// What was asked of anybody ends with the room, and so does every connection to it: nothing happens afterwards.
pub(crate) fn end_bus(change: &mut Change<'_>) -> Result<(), Failure> {
    const WHY: &str = "the session was closed";
    for target in bus::owing(change.store.tx()?, &change.room.id)? {
        change.end_actions_of(&target, WHY)?;
    }
    // A job's turn is its runner's to end, which may still say how the job ended.
    for turn in turns::open(change.store.tx()?, &change.room.id)?.into_iter().filter(|turn| turn.job.is_none()) {
        change.end_turn_of(&turn.agent_id, Outcome::Lost, WHY)?;
    }
    for connection in change.connections()?.into_iter().filter(Connection::is_open) {
        let status = change.connection_when_closed(&connection.agent_id)?;
        change.disconnect(&connection.agent_id, WHY, status)?;
    }
    Ok(())
}

impl UseCase for Close {
    const NAME: &'static str = "room.close";
    const PLACE: Place = Place::Tool("close_room", Tier::Full);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access =
        Access { owner: Permission::Yes, ..Access::limited_for_all("unless another holds it") }.without_jobs(None);
    const ABOUT: &'static str =
        "End a room for good. Its log stays readable; joining the path again opens a fresh room.";
    type Input = CloseInput;
    type Output = CloseRoomResult;

    fn perform(app: &App, caller: &Caller, input: CloseInput) -> Result<CloseRoomResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            end_bus(change)?;
            let closing = Closing {
                expected_turn: input.expected_turn_id,
                lease_id: input.lease_id.clone(),
                reason: input.reason.clone(),
            };
            change.decide(|room, call| room.close(call, &closing, caller.authority()))?;
            Ok(CloseRoomResult { room_id: change.room.id.clone(), state: RoomState::Closed })
        })
    }
}
