//! Keeping the stick.

use baton_core::{
    ids::{LeaseId, RoomId},
    lease::Fence,
    room::Shown,
    time::{Timestamp, Ttl},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    app::Request,
    table::{Access, Effect, Place, Tier, UseCase},
};

/// `stick.heartbeat`
pub struct Heartbeat;

/// The fence.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeartbeatInput {
    pub room_id: RoomId,
    pub lease_id: LeaseId,
    pub expected_turn_id: Fence,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// How long the lease runs now.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct HeartbeatResult {
    pub room_id: RoomId,
    pub turn_id: Fence,
    pub lease_expires_at: Timestamp,
    pub heartbeat_interval_ms: Ttl,
}

impl UseCase for Heartbeat {
    const NAME: &'static str = "stick.heartbeat";
    const PLACE: Place = Place::Tool("heartbeat", Tier::Daily);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::OWNER;
    const ABOUT: &'static str =
        "Extend your lease while you hold the stick. On stale_lease or turn_mismatch stop working at once.";
    type Input = HeartbeatInput;
    type Output = HeartbeatResult;

    fn perform(app: &App, caller: &Caller, input: HeartbeatInput) -> Result<HeartbeatResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            let shown = Shown { turn: input.expected_turn_id, lease_id: input.lease_id.clone() };
            let lease_expires_at = change.room.renew(change.call(), &shown)?;
            let room = &change.room;
            Ok(HeartbeatResult {
                room_id: room.id.clone(),
                turn_id: room.turn,
                lease_expires_at,
                heartbeat_interval_ms: room.policy.heartbeat_interval_ms,
            })
        })
    }
}
