//! Changing the turn order.

use baton_core::ids::{AgentId, RoomId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    app::Request,
    table::{Access, Effect, Place, Tier, UseCase},
};

/// `room.reorder`
pub struct Reorder;

/// The new order.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReorderInput {
    pub room_id: RoomId,
    /// Every member exactly once, by name or id, in the new turn order
    pub order: Vec<String>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// The order now.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReorderMembersResult {
    pub room_id: RoomId,
    pub members: Vec<AgentId>,
}

impl UseCase for Reorder {
    const NAME: &'static str = "room.reorder";
    const PLACE: Place = Place::Tool("reorder_members", Tier::Full);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::AGENTS.without_jobs(None);
    const ABOUT: &'static str = "Set the order in which members get the stick.";
    type Input = ReorderInput;
    type Output = ReorderMembersResult;

    fn perform(app: &App, caller: &Caller, input: ReorderInput) -> Result<ReorderMembersResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            change.decide(|room, call| room.reorder(call, &input.order, caller.authority()))?;
            let members = change.room.members.iter().map(|member| member.agent_id.clone()).collect();
            Ok(ReorderMembersResult { room_id: change.room.id.clone(), members })
        })
    }
}
