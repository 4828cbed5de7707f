//! Commands of the stick's owner: keeping it, releasing it, and handing it to a chosen member.

use baton_core::{
    handoff::Handoff,
    ids::{AgentId, LeaseId, RoomId, Seq},
    lease::Fence,
    room::{Room, RoomState, Shown},
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

/// `stick.release`
pub struct Release;

/// The fence and the handoff.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReleaseInput {
    pub room_id: RoomId,
    pub lease_id: LeaseId,
    pub expected_turn_id: Fence,
    pub handoff: Handoff,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// Where the stick is now.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReleaseStickResult {
    pub room_id: RoomId,
    pub turn_id: Fence,
    pub state: RoomState,
    /// Who may claim it first; nobody in particular when the room is idle.
    pub reserved_for: Option<AgentId>,
    pub claim_expires_at: Option<Timestamp>,
    /// The event that carries the handoff.
    pub event_seq: Seq,
    /// Changed files that no turn explains, and artifacts of the handoff that do not exist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl ReleaseStickResult {
    pub(super) fn of(room: &Room, warnings: Vec<String>) -> Self {
        let reservation = room.reservation();
        Self {
            room_id: room.id.clone(),
            turn_id: room.turn,
            state: if reservation.is_some() { RoomState::Reserved } else { RoomState::Idle },
            reserved_for: reservation.map(|reservation| reservation.recipient.clone()),
            claim_expires_at: reservation.map(|reservation| reservation.claim_expires_at),
            event_seq: room.last_seq,
            warnings,
        }
    }
}

impl UseCase for Release {
    const NAME: &'static str = "stick.release";
    const PLACE: Place = Place::Tool("release_stick", Tier::Daily);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::OWNER;
    const ABOUT: &'static str =
        "Hand the stick to the next member in sequence, with a truthful status and a concrete next_action.";
    type Input = ReleaseInput;
    type Output = ReleaseStickResult;

    fn perform(app: &App, caller: &Caller, input: ReleaseInput) -> Result<ReleaseStickResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        let attached = app.attach(caller, (&input.room_id, input.expected_turn_id), &input.handoff, None)?;
        let tree = app.look_before_handover(caller, &input.room_id, &input.handoff)?;
        app.change(caller, &request, &input.room_id, |change| {
            let warnings = change.warnings(tree.as_ref())?;
            let handoff = attached.put_with(&input.handoff, change)?;
            let shown = Shown { turn: input.expected_turn_id, lease_id: input.lease_id.clone() };
            change.decide(|room, call| room.release(call, &shown, &handoff, tree.as_ref()))?;
            Ok(ReleaseStickResult::of(&change.room, warnings))
        })
    }
}

/// `stick.pass`
pub struct Pass;

/// The fence, the recipient and the handoff.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PassInput {
    pub room_id: RoomId,
    pub lease_id: LeaseId,
    pub expected_turn_id: Fence,
    /// An active member: name or id
    pub to_agent_id: String,
    pub handoff: Handoff,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

impl UseCase for Pass {
    const NAME: &'static str = "stick.pass";
    const PLACE: Place = Place::Tool("pass_stick", Tier::Daily);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::OWNER;
    const ABOUT: &'static str = "Hand the stick to one chosen active member instead of the next in sequence.";
    type Input = PassInput;
    type Output = ReleaseStickResult;

    fn perform(app: &App, caller: &Caller, input: PassInput) -> Result<ReleaseStickResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        let place = (&input.room_id, input.expected_turn_id);
        let attached = app.attach(caller, place, &input.handoff, Some(&input.to_agent_id))?;
        let tree = app.look_before_handover(caller, &input.room_id, &input.handoff)?;
        app.change(caller, &request, &input.room_id, |change| {
            let warnings = change.warnings(tree.as_ref())?;
            let handoff = attached.put_with(&input.handoff, change)?;
            let shown = Shown { turn: input.expected_turn_id, lease_id: input.lease_id.clone() };
            change.decide(|room, call| room.pass(call, &shown, &input.to_agent_id, &handoff, tree.as_ref()))?;
            Ok(ReleaseStickResult::of(&change.room, warnings))
        })
    }
}
