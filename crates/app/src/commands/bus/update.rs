//! Changing what an agent is called, without connecting anew.

use baton_core::{code::ErrorCode, ids::RoomId, room::NewIdentity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Agent, add::display_name};
use crate::{
    App, Caller, Failure,
    app::{Request, internal},
    table::{BUS, Effect, Place, UseCase},
};

/// `bus.update`
pub struct Update;

/// What changes.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
    /// Your own id or name
    pub id: String,
    /// The new name
    pub name: String,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// Who you are now.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct UpdateResult {
    pub room_id: RoomId,
    pub agent: Agent,
}

impl UseCase for Update {
    const NAME: &'static str = "bus.update";
    const PLACE: Place = Place::Portal(&BUS);
    const WIRE: Option<&'static str> = Some("agent.update");
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Take another name. Every stream tells it as agent.updated.";
    type Input = UpdateInput;
    type Output = UpdateResult;

    fn perform(app: &App, caller: &Caller, input: UpdateInput) -> Result<UpdateResult, Failure> {
        let you = caller.actor().agent_id;
        let name = display_name(&input.name)?;
        let stale_after = app.stale_after_or_default();
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            let is_you = change.room.named(&input.id).map_or(input.id == you.as_str(), |member| member.agent_id == you);
            if !is_you {
                let message = format!("You are {you}; an agent updates only itself, not {}.", input.id);
                return Err(Failure::new(ErrorCode::SourceMismatch, message).with("field", "id"));
            }
            change.require_agent()?;
            let identity = NewIdentity { name: Some(name.clone()), role: None, former: change.former()? };
            change.decide(|room, call| room.register(call, &identity))?;
            let status = change.connection_of(&you, stale_after)?.state;
            let member = change.room.member(&you).ok_or_else(|| internal("who is renamed is a member"))?;
            Ok(UpdateResult { room_id: change.room.id.clone(), agent: Agent::of(member, status) })
        })
    }
}
