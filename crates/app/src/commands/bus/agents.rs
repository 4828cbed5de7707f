//! Agents of a session: becoming one, being called something else, leaving.

use baton_core::{
    code::ErrorCode,
    ids::{AgentId, AgentName, RoomId, Seq},
    room::{Actor, IdOrigin, NewIdentity},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Agent;
use crate::{
    App, Caller, Failure, Rights,
    app::{Request, internal},
    bus::{SERVER, check_chosen},
    commands::{agent::parse_role, room::depart},
    table::{Access, BUS, Effect, Place, UseCase},
};

/// `bus.add`
pub struct Add;

/// Who joins.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
    /// An id of your choice, without a colon; default: who you are
    pub id: Option<AgentId>,
    /// What people are to call you; default: your id, or a name that is made
    pub name: Option<String>,
    /// What you are here for
    pub role: Option<String>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// Who you are in the session.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct AddResult {
    pub room_id: RoomId,
    pub agent: Agent,
    /// Whether you were an agent of it before.
    pub rejoined: bool,
    /// The newest event: where a stream of what comes next begins.
    pub last_seq: Seq,
}

impl UseCase for Add {
    const NAME: &'static str = "bus.add";
    const PLACE: Place = Place::Portal(&BUS);
    const WIRE: Option<&'static str> = Some("agent.add");
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Become an agent of a session.";
    type Input = AddInput;
    type Output = AddResult;

    fn perform(app: &App, caller: &Caller, input: AddInput) -> Result<AddResult, Failure> {
        let actor = joining(caller.actor(), input.id.as_ref())?;
        let name = match (&input.name, &input.id) {
            (Some(name), _) => Some(display_name(name)?),
            // An id that is a name, too, is one; another one is given a name.
            (None, Some(id)) => AgentName::display(id.as_str()).ok(),
            (None, None) => None,
        };
        let role = input.role.as_deref().map(parse_role).transpose()?;
        let stale_after = app.stale_after_or_default();
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        let added = app.once(caller, &actor, &request, |tx| {
            app.change_in(tx, caller, &actor, &input.room_id, &mut |change| {
                let rejoined = change.room.member(&actor.agent_id).is_some();
                change.join(name.clone(), role.clone())?;
                // Who is there already is called as it asks now.
                if rejoined && (input.name.is_some() || role.is_some()) {
                    let named = name.clone().filter(|_| input.name.is_some());
                    let identity = NewIdentity { name: named, role: role.clone(), former: change.former()? };
                    change.decide(|room, call| room.register(call, &identity))?;
                }
                let status = change.connection_of(&actor.agent_id, stale_after)?.state;
                let member = change.room.member(&actor.agent_id).ok_or_else(|| internal("who joins is a member"))?;
                Ok(AddResult {
                    room_id: change.room.id.clone(),
                    agent: Agent::of(member, status),
                    rejoined,
                    last_seq: change.room.last_seq,
                })
            })
        })?;
        caller.has_joined(&added.room_id);
        Ok(added)
    }
}

/// Who joins: the caller, or the agent that it chooses to be. Who speaks for a chosen agent already joins as that one.
fn joining(actor: Actor, chosen: Option<&AgentId>) -> Result<Actor, Failure> {
    let Some(chosen) = chosen.filter(|chosen| **chosen != actor.agent_id) else { return Ok(actor) };
    if actor.origin != IdOrigin::Found {
        let message = format!("This connection speaks for {}, not for {chosen}.", actor.agent_id);
        return Err(Failure::new(ErrorCode::SourceMismatch, message).with("field", "id"));
    }
    check_chosen(chosen)?;
    Ok(actor.choosing(chosen.clone()))
}

/// A name that an agent of the bus may have.
pub(super) fn display_name(text: &str) -> Result<AgentName, Failure> {
    let refuse = |why: String| Err(Failure::new(ErrorCode::InvalidAgentId, why).with("field", "name"));
    match AgentName::display(text) {
        Ok(_) if text.eq_ignore_ascii_case(SERVER) => {
            refuse(format!("{SERVER} is what the bus itself is called; choose another name."))
        }
        Ok(name) => Ok(name),
        Err(error) => refuse(format!("{error}.")),
    }
}

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

/// `bus.remove`
pub struct Remove;

/// Who goes.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
    /// Name or id; default: you; another only as an operator
    pub id: Option<String>,
    /// Repeat a call safely: the same key gets the first answer
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
