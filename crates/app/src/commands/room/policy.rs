//! Changing a room's timings.

use baton_core::{
    ids::RoomId,
    policy::{Policy, PolicyChange},
    room::Action,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    app::Request,
    table::{Effect, Place, Tier, UseCase},
};

/// `room.policy`
pub struct SetPolicy;

/// The new timings.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetPolicyInput {
    pub room_id: RoomId,
    /// Milliseconds; what is left out stays as it is
    pub policy: PolicyChange,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// The timings now.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct SetRoomPolicyResult {
    pub room_id: RoomId,
    pub policy: Policy,
}

impl UseCase for SetPolicy {
    const NAME: &'static str = "room.policy";
    const PLACE: Place = Place::Tool("set_room_policy", Tier::Full);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str =
        "Change a room's timings. A running lease or claim keeps its expiry; the next one uses the new policy.";
    type Input = SetPolicyInput;
    type Output = SetRoomPolicyResult;

    fn run(app: &App, caller: &Caller, input: SetPolicyInput) -> Result<SetRoomPolicyResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            change.decide(Action::SetPolicy { change: input.policy.clone(), authority: caller.authority() })?;
            Ok(SetRoomPolicyResult { room_id: change.room.id.clone(), policy: change.room.policy.clone() })
        })
    }
}
