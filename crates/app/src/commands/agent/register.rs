//! Taking a name, and showing that one is there.

use baton_core::{
    agent::Presence,
    code::ErrorCode,
    ids::{AgentId, AgentName, Role, RoomId},
    room::NewIdentity,
    time::Timestamp,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    app::{Request, internal},
    table::{AGENT, Effect, Place, UseCase},
    unit::Change,
};

/// `agent.register`
pub struct Register;

/// What to be called.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegisterInput {
    pub room_id: RoomId,
    /// Like amber-otter; default: one is made, or you keep yours
    pub name: Option<String>,
    /// What you are here for: messages can be sent to role:NAME
    pub role: Option<String>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// Who you are now.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct RegisterResult {
    pub room_id: RoomId,
    pub agent_id: AgentId,
    pub name: String,
    pub role: Option<Role>,
    /// Whether anything changed.
    pub changed: bool,
}

impl UseCase for Register {
    const NAME: &'static str = "agent.register";
    const PLACE: Place = Place::Portal(&AGENT);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Become an agent of the room under a name of your own, or change yours.";
    type Input = RegisterInput;
    type Output = RegisterResult;

    fn perform(app: &App, caller: &Caller, input: RegisterInput) -> Result<RegisterResult, Failure> {
        let name = input.name.as_deref().map(parse_name).transpose()?;
        let role = input.role.as_deref().map(parse_role).transpose()?;
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| register(change, name.as_ref(), role.as_ref()))
    }
}

/// Makes the caller an agent of a room that is being changed, or changes what it is called.
pub(super) fn register(
    change: &mut Change<'_>,
    name: Option<&AgentName>,
    role: Option<&Role>,
) -> Result<RegisterResult, Failure> {
    let recorded = match change.room.member(&change.actor.agent_id) {
        Some(_) => {
            let identity = NewIdentity { name: name.cloned(), role: role.cloned(), former: change.former()? };
            change.decide(|room, call| room.register(call, &identity))?
        }
        None => change.join(name.cloned(), role.cloned())?,
    };
    let member = change.room.member(&change.actor.agent_id).ok_or_else(|| internal("who registers is a member"))?;
    Ok(RegisterResult {
        room_id: change.room.id.clone(),
        agent_id: member.agent_id.clone(),
        name: member.display_name.clone(),
        role: member.role.clone(),
        changed: recorded.is_some(),
    })
}

/// A name that an agent may have.
pub fn parse_name(text: &str) -> Result<AgentName, Failure> {
    text.parse().map_err(|error| Failure::new(ErrorCode::InvalidAgentId, format!("{error}.")).with("field", "name"))
}

/// A role that an agent may have.
pub fn parse_role(text: &str) -> Result<Role, Failure> {
    text.parse().map_err(|error| Failure::new(ErrorCode::InvalidRole, format!("{error}.")).with("field", "role"))
}

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
