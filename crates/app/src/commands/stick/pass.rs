//! Handing the stick to a chosen member.

use baton_core::{
    handoff::Handoff,
    ids::{LeaseId, RoomId},
    lease::Fence,
    room::Shown,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ReleaseStickResult;
use crate::{
    App, Caller, Failure,
    app::Request,
    table::{Access, Effect, Place, Tier, UseCase},
};

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
