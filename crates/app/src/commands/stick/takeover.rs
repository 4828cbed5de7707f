//! Recovering the stick from someone who does not respond.

use baton_core::{
    code::ErrorCode,
    ids::{AgentId, LeaseId, RoomId, Seq},
    lease::Fence,
    room::TakeoverReason,
    time::{Timestamp, Ttl},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    app::Request,
    employment::by_role,
    table::{Access, Effect, Place, Role, Tier, UseCase},
    tree::{DriftReport, Received},
};

/// `stick.takeover`
pub struct Takeover;

/// What to take over, and why.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TakeoverInput {
    pub room_id: RoomId,
    pub expected_turn_id: Fence,
    /// Why
    pub reason: String,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// The new turn. There is no handoff: the one taken over wrote none.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct TakeoverStickResult {
    pub room_id: RoomId,
    pub turn_id: Fence,
    pub lease_id: LeaseId,
    pub lease_expires_at: Timestamp,
    pub heartbeat_interval_ms: Ttl,
    pub revoked_agent_id: AgentId,
    pub basis: TakeoverReason,
    /// The event with the last handoff there was; `get_room_state` shows it.
    pub handoff_event_seq: Option<Seq>,
    /// Changes since that handoff.
    pub drift: Option<DriftReport>,
    pub next: String,
}

impl UseCase for Takeover {
    const NAME: &'static str = "stick.takeover";
    const PLACE: Place = Place::Tool("takeover_stick", Tier::Daily);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::limited_for_jobs("from itself");
    const ABOUT: &'static str = "Take the stick from an owner or recipient who timed out or is gone. Only after takeover_available; then read the last handoff in get_room_state.";
    type Input = TakeoverInput;
    type Output = TakeoverStickResult;

    fn perform(app: &App, caller: &Caller, input: TakeoverInput) -> Result<TakeoverStickResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        let mut received = None;
        let taken = app.change(caller, &request, &input.room_id, |change| {
            change.come_in(caller)?;
            // The call itself shows that the caller is there, before its eligibility is judged.
            change.room.touch(&change.actor.agent_id, change.now);
            let (turn, lease_id) = (input.expected_turn_id, app.ids.lease_id()?);
            let (taken, _) = change.decide(|room, call| room.take_over(call, turn, &input.reason, &lease_id))?;
            if caller.role() == Role::JobAgent && taken.revoked_agent_id != change.actor.agent_id {
                return Err(from_another(&taken.revoked_agent_id));
            }
            change.lose_if_lost(&taken.revoked_agent_id)?;
            let handoff = change.received_handoff()?;
            let handoff_event_seq = handoff.as_ref().map(|handoff| handoff.seq);
            let had_turn = matches!(taken.basis, TakeoverReason::OwnerTimeout | TakeoverReason::OwnerGone);
            let lost_by = had_turn.then(|| taken.revoked_agent_id.clone());
            received = Received::of(&change.room, handoff, lost_by);
            Ok(TakeoverStickResult {
                room_id: change.room.id.clone(),
                turn_id: taken.grant.turn_id,
                lease_id: taken.grant.lease_id.clone(),
                lease_expires_at: taken.grant.lease_expires_at,
                heartbeat_interval_ms: change.room.policy.heartbeat_interval_ms,
                revoked_agent_id: taken.revoked_agent_id.clone(),
                basis: taken.basis,
                handoff_event_seq,
                drift: None,
                next: next_step(&taken.revoked_agent_id, handoff_event_seq),
            })
        })?;
        let drift = received.and_then(|received| app.drift_since(caller, &received)).or(taken.drift);
        Ok(TakeoverStickResult { drift, ..taken })
    }
}

/// Where the new owner finds out what was going on.
fn next_step(revoked: &AgentId, handoff: Option<Seq>) -> String {
    match handoff {
        Some(seq) => format!(
            "Before you work, read the last handoff, event {seq}: `get_room_state` has it. {revoked} did not act on it to the end; `get_room_events` with handoffs: true has the earlier ones."
        ),
        None => format!("There is no handoff yet: read with `get_room_events` what {revoked} did before you work."),
    }
}

/// A job's agent goes on with a turn that an earlier slice of its job left behind. Another's turn is for a manager to end.
fn from_another(owner: &AgentId) -> Failure {
    let message = format!("A job's agent may not take the stick from {owner}.");
    by_role(Failure::new(ErrorCode::Forbidden, message))
        .with("current_owner", owner.as_str())
        .advising("Have somebody else take over and pass the stick to you: report kind question if your job needs it.")
}
