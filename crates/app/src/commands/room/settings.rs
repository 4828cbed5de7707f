//! Settings that members change without the stick: the order of turns, and the room's timings.

use baton_core::{
    code::ErrorCode,
    ids::{AgentId, LeaseId, RoomId},
    lease::Fence,
    policy::{Policy, PolicyChange},
    room::PolicySetting,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    app::Request,
    table::{Access, Effect, Permission, Place, Tier, UseCase},
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

/// How a person sets a policy.
pub(crate) const BY_HAND: &str = "`baton room policy` at a terminal, or the room's page of `baton up`";

/// `room.policy`
pub struct SetPolicy;

/// The new timings.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetPolicyInput {
    pub room_id: RoomId,
    /// Milliseconds; what is left out stays as it is. edges, spawn, guard, wake and resume: operators only
    pub policy: PolicyChange,
    /// Your turn, as with release_stick
    pub expected_turn_id: Option<Fence>,
    /// Its lease
    pub lease_id: Option<LeaseId>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// The timings now.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct SetRoomPolicyResult {
    pub room_id: RoomId,
    pub policy: Policy,
    /// The turn that was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<Fence>,
}

impl UseCase for SetPolicy {
    const NAME: &'static str = "room.policy";
    const PLACE: Place = Place::Tool("set_room_policy", Tier::Full);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access {
        agent: Permission::No,
        owner: Permission::Limited("timings"),
        job_agent: Permission::No,
        by_hand: Some(BY_HAND),
        ..Access::AGENTS
    };
    const ABOUT: &'static str = "Change a room's timings, as the holder of the stick. A running lease or claim keeps its expiry; the next one uses the new policy.";
    type Input = SetPolicyInput;
    type Output = SetRoomPolicyResult;

    fn perform(app: &App, caller: &Caller, input: SetPolicyInput) -> Result<SetRoomPolicyResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        let set = app.change(caller, &request, &input.room_id, |change| {
            let setting = PolicySetting {
                change: input.policy.clone(),
                expected_turn: input.expected_turn_id,
                lease_id: input.lease_id.clone(),
            };
            change.decide(|room, call| room.set_policy(call, &setting, caller.authority()))?;
            let (room_id, policy) = (change.room.id.clone(), change.room.policy.clone());
            Ok(SetRoomPolicyResult { room_id, policy, turn_id: input.expected_turn_id })
        });
        set.map_err(|failure| match failure.code {
            ErrorCode::Forbidden => failure.with("role", caller.role().as_str()),
            _ => failure,
        })
    }
}
