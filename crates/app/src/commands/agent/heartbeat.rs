//! Showing that one is there.

use baton_core::{
    agent::Presence,
    code::ErrorCode,
    ids::{AgentId, RoomId},
    time::Timestamp,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    app::{Request, internal},
    table::{AGENT, Effect, Place, UseCase},
};

/// `agent.heartbeat`
pub struct Heartbeat;

/// Whose heart beats.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeartbeatInput {
    pub room_id: RoomId,
    /// Your own name or id, if you say it at all
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

/// When you were last seen: now.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct HeartbeatResult {
    pub room_id: RoomId,
    pub agent_id: AgentId,
    pub name: String,
    /// UTC, ISO-8601.
    pub last_seen_at: Timestamp,
    pub liveness: Presence,
}

impl UseCase for Heartbeat {
    const NAME: &'static str = "agent.heartbeat";
    const PLACE: Place = Place::Portal(&AGENT);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Show that you are there. It renews no lease of the stick.";
    type Input = HeartbeatInput;
    type Output = HeartbeatResult;

    fn perform(app: &App, caller: &Caller, input: HeartbeatInput) -> Result<HeartbeatResult, Failure> {
        let stale_after = app.stale_after()?;
        let request = Request { command: Self::NAME, input: &input, key: None };
        app.change(caller, &request, &input.room_id, |change| {
            change.require_agent()?;
            let you = change.actor.agent_id.clone();
            if let Some(named) = &input.agent
                && change.named(named)? != you
            {
                let message = format!("{named} is somebody else; only an agent's own calls show that it is there.");
                return Err(Failure::new(ErrorCode::InvalidArgs, message)
                    .with("field", "agent")
                    .with("you", you.as_str())
                    .advising("Leave out agent, or name yourself."));
            }
            change.room.touch(&you, change.now);
            let member = change.room.member(&you).ok_or_else(|| internal("who beats is a member"))?;
            Ok(HeartbeatResult {
                room_id: change.room.id.clone(),
                agent_id: you,
                name: member.display_name.clone(),
                last_seen_at: member.last_seen_at,
                liveness: stale_after.presence(member.last_seen_at, change.now, &member.liveness(change.witness)),
            })
        })
    }
}
