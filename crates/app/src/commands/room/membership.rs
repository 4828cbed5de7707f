//! Becoming a member of the room that a path belongs to, and stopping to be one.

use std::path::Path;

use baton_core::{
    agent::ConnectionStatus,
    handoff::Handoff,
    ids::{AgentId, RoomId},
    policy::Policy,
    process::Witness,
    room::{Actor, Room, RoomState},
    time::Timestamp,
    turn::Outcome,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::open::{Wanted, find_or_open};
use crate::{
    App, Caller, Failure,
    app::{Request, internal},
    paths,
    table::{Effect, Place, Tier, UseCase},
    unit::Change,
    view::PathRoom,
};

/// `room.join`
pub struct Join;

/// Where to join.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JoinInput {
    /// Directory or file you work in
    pub context_path: String,
    /// Open a nested room at exactly this path
    #[serde(default)]
    pub force_new: bool,
    /// Tests and debugging only: the id to use on this connection
    pub agent_id_override: Option<AgentId>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// Where you are now.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct JoinPathResult {
    pub room_id: RoomId,
    /// The room's own path, which may lie above the one asked for.
    pub canonical_path: Option<String>,
    pub agent_id: AgentId,
    /// What people call you.
    pub display_name: String,
    /// The agent whose conversation you share as a second process: you are another agent, with an inbox of your own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel_to: Option<AgentId>,
    pub state: RoomState,
    /// Whether the room was opened by this call.
    pub created: bool,
    pub policy: Policy,
    /// The shape of a good handoff.
    pub handoff_template: HandoffTemplate,
    pub room: PathRoom,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// A handoff with instructions in place of contents.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct HandoffTemplate {
    pub status: String,
    pub next_action: String,
    pub artifacts: String,
    pub open_questions: String,
    pub do_not: String,
}

impl Default for HandoffTemplate {
    fn default() -> Self {
        Self {
            status: Handoff::STATUS_TEMPLATE.to_owned(),
            next_action: Handoff::NEXT_ACTION_TEMPLATE.to_owned(),
            artifacts: "[{path, lines?: [first, last], role: examine|review|edit|context|output, note?}]".to_owned(),
            open_questions: Handoff::QUESTION_TEMPLATE.to_owned(),
            do_not: Handoff::DO_NOT_TEMPLATE.to_owned(),
        }
    }
}

impl UseCase for Join {
    const NAME: &'static str = "room.join";
    const PLACE: Place = Place::Tool("join_path", Tier::Daily);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Join the room of a workspace path (opens it if there is none). Accept the room_id and canonical_path it answers, even if not those you asked for.";
    type Input = JoinInput;
    type Output = JoinPathResult;

    fn perform(app: &App, caller: &Caller, input: JoinInput) -> Result<JoinPathResult, Failure> {
        let location = paths::resolve(Path::new(&input.context_path), &caller.cwd, app.environment.home())?;
        let actor = match &input.agent_id_override {
            Some(agent_id) => {
                caller.may_pose()?;
                let actor = caller.posing(agent_id.clone());
                app.check_override(&actor)?;
                actor
            }
            None => caller.actor(),
        };
        let wanted = if input.force_new { Wanted::Nested } else { Wanted::Covering };
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        let joined = app.once(caller, &actor, &request, |tx| {
            let opened = find_or_open(app, tx, &actor, &location, wanted)?;
            let before = opened.room;
            let eyes = app.eyes(tx, &before)?;
            let now = tx.now()?;
            let mut change = Change::new(tx, before.clone().into(), now, &actor, &eyes);
            change.admit(caller)?;
            change.retire_gone()?;
            change.join(None, None)?;
            change.require_living_caller(&before)?;
            change.tell_return(&before)?;
            let after = change.room.clone();
            change.save(&before)?;
            answer(&after, &actor, now, &eyes, opened.created, opened.warning)
        })?;
        if let Some(agent_id) = input.agent_id_override {
            caller.override_identity(agent_id);
        }
        caller.has_joined(&joined.room_id);
        Ok(joined)
    }
}

fn answer(
    room: &Room,
    actor: &Actor,
    now: Timestamp,
    witness: &dyn Witness,
    created: bool,
    warning: Option<String>,
) -> Result<JoinPathResult, Failure> {
    let member = room.member(&actor.agent_id).ok_or_else(|| internal("a joiner is a member"))?;
    let view = PathRoom::of(room, now, actor, witness);
    Ok(JoinPathResult {
        room_id: room.id.clone(),
        canonical_path: room.canonical_path.clone(),
        agent_id: actor.agent_id.clone(),
        display_name: member.display_name.clone(),
        parallel_to: member.parallel_to.clone(),
        state: view.state,
        created,
        policy: room.policy.clone(),
        handoff_template: HandoffTemplate::default(),
        room: view,
        warning,
    })
}

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
