//! Stopping to be a member.

use baton_core::{
    agent::ConnectionStatus,
    ids::{AgentId, RoomId},
    turn::Outcome,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    app::Request,
    table::{Effect, Place, Tier, UseCase},
    unit::Change,
};

/// `room.leave`
pub struct Leave;

/// Which room to leave.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LeaveInput {
    pub room_id: RoomId,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// Who is left.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct LeavePathResult {
    pub room_id: RoomId,
    pub members: Vec<AgentId>,
    /// Whom the stick is kept for after that.
    pub reserved_for: Option<AgentId>,
}

/// Lets somebody go: who leaves works nowhere any more, and will not answer what it was asked.
pub(crate) fn depart(change: &mut Change<'_>, who: &AgentId) -> Result<(), Failure> {
    let now = change.now;
    let reserved = change.scopes()?.release_all(now, who);
    change.record(reserved)?;
    change.end_turn_of(who, Outcome::Lost, "its agent left")?;
    change.end_actions_of(who, "its target left the session")?;
    change.disconnect(who, "it left the session", ConnectionStatus::left(false))?;
    change.decide(|room, call| room.leave(call, who))?;
    Ok(())
}

impl UseCase for Leave {
    const NAME: &'static str = "room.leave";
    const PLACE: Place = Place::Tool("leave_path", Tier::Full);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Leave a room when your work in it is done. A holder must release or pass first.";
    type Input = LeaveInput;
    type Output = LeavePathResult;

    fn perform(app: &App, caller: &Caller, input: LeaveInput) -> Result<LeavePathResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            let you = change.actor.agent_id.clone();
            depart(change, &you)?;
            let room = &change.room;
            Ok(LeavePathResult {
                room_id: room.id.clone(),
                members: room.members.iter().map(|member| member.agent_id.clone()).collect(),
                reserved_for: room.reservation().map(|reservation| reservation.recipient.clone()),
            })
        })
    }
}
