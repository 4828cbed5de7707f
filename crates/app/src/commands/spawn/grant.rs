//! Deciding what an agent may do.

use baton_core::{
    code::ErrorCode,
    ids::{AgentId, RoomId},
    job::job_of,
    process::SessionKind,
    room::Member,
    spawn::{self, Granted, Grants},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    app::Request,
    commands::envelope::called,
    table::{AGENT, Access, Effect, Place, UseCase},
};

/// `agent.grant`
pub struct Grant;

/// What somebody may do from now on.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrantInput {
    pub room_id: RoomId,
    /// Name or id of a member
    pub agent: String,
    /// Whether it may ask for further agents; default as it is
    pub spawn_nodes: Option<bool>,
    /// Whether agents and jobs that it asks for may only look; default as it is
    pub read_only: Option<bool>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// What it may do now.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct GrantResult {
    pub room_id: RoomId,
    /// What people call it.
    pub agent: String,
    pub agent_id: AgentId,
    pub grants: Grants,
}

impl UseCase for Grant {
    const NAME: &'static str = "agent.grant";
    const PLACE: Place = Place::Portal(&AGENT);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::operators("`baton agent grant` at a terminal, or the agent's page of `baton up`");
    const ABOUT: &'static str = "Say what an agent may do: ask for further agents, or only look (operators only).";
    type Input = GrantInput;
    type Output = GrantResult;

    fn perform(app: &App, caller: &Caller, input: GrantInput) -> Result<GrantResult, Failure> {
        if input.spawn_nodes.is_none() && input.read_only.is_none() {
            let message = "Say spawn_nodes or read_only: nothing else is granted.";
            return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", "spawn_nodes"));
        }
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            let agent_id = change.named(&input.agent)?;
            if job_of(&agent_id).is_some() {
                let message = format!("{agent_id} is a job's agent: what it may do was said when its job was created.");
                return Err(Failure::new(ErrorCode::PreconditionFailed, message)
                    .with("agent_id", agent_id.as_str())
                    .advising("Create another job with meta.grants, and cancel this one."));
            }
            let kind = change.room.member(&agent_id).and_then(Member::sender_kind);
            if kind.is_some_and(SessionKind::is_person) {
                let message = format!("{agent_id} is a person, who may do everything.");
                return Err(Failure::new(ErrorCode::PreconditionFailed, message)
                    .with("agent_id", agent_id.as_str())
                    .advising("Name an agent of `agent list` that is none."));
            }
            let was = change.store.find::<spawn::Grant>(&agent_id)?.map(|grant| grant.grants).unwrap_or_default();
            let grants = Grants {
                spawn_nodes: input.spawn_nodes.unwrap_or(was.spawn_nodes),
                read_only: input.read_only.unwrap_or(was.read_only),
            };
            if grants != was {
                change.record(spawn::Event::Granted(Granted { agent_id: agent_id.clone(), grants }))?;
            }
            let agent = called(&change.room, &agent_id);
            Ok(GrantResult { room_id: change.room.id.clone(), agent, agent_id, grants })
        })
    }
}
