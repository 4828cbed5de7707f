//! Handing the stick to whoever is next.

use baton_core::{
    handoff::Handoff,
    ids::{AgentId, LeaseId, RoomId, Seq},
    lease::Fence,
    room::{Room, RoomState, Shown},
    time::Timestamp,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    app::Request,
    table::{Access, Effect, Place, Tier, UseCase},
};

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
