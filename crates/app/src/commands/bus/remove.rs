//! Taking an agent out of a session: oneself, or as an operator anybody.

use baton_core::ids::{AgentId, RoomId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure, Rights,
    app::Request,
    commands::room::depart,
    table::{Access, BUS, Effect, Place, UseCase},
};

/// `bus.remove`
pub struct Remove;

/// Who goes.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
    /// Name or id; default: you; another only as an operator
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// Who is left.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct RemoveResult {
    pub room_id: RoomId,
    pub removed: AgentId,
    pub agents: Vec<AgentId>,
}

impl UseCase for Remove {
    const NAME: &'static str = "bus.remove";
    const PLACE: Place = Place::Portal(&BUS);
    const WIRE: Option<&'static str> = Some("agent.remove");
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access =
        Access { by_hand: Some("`baton bus leave --id AGENT` at a terminal"), ..Access::limited("itself") };
    const ABOUT: &'static str = "Leave a session; what you were asked ends in an error.";
    type Input = RemoveInput;
    type Output = RemoveResult;

    fn perform(app: &App, caller: &Caller, input: RemoveInput) -> Result<RemoveResult, Failure> {
        let you = caller.actor().agent_id;
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            let who = match input.id.as_deref() {
                Some(named) if named != you.as_str() => change.named(named)?,
                Some(_) | None => you.clone(),
            };
            if who != you && caller.rights() < Rights::Operator {
                let message = format!("Only an operator removes another agent, such as {who}.");
                return Err(Self::ACCESS.operator_needed(caller.role(), message).with("field", "id"));
            }
            if change.room.member(&who).is_none() {
                return Err(Failure::unknown_agent(who.as_str()));
            }
            depart(change, &who)?;
            Ok(RemoveResult {
                room_id: change.room.id.clone(),
                removed: who.clone(),
                agents: change.room.members.iter().map(|member| member.agent_id.clone()).collect(),
            })
        })
    }
}
