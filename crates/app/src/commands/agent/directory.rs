//! The agents of a room as callers see them, whom a name means, and everybody from one look.

use baton_core::{
    agent::{ConnectionState, Former, Presence, Target},
    ids::{AgentId, Role, RoomId},
    limits,
    policy::Wake,
    process::SessionKind,
    room::{Member, Room, Stick},
    scope::{Scopes, View},
    task::{State, Task, TaskId},
    time::Timestamp,
};
use baton_store::{engine::Tx, former, scopes, tasks};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Failure,
    app::Sight,
    connection::{AgentConnection, Streams, Vantage},
    scoping,
    view::ProcessState,
};

/// An identity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentView {
    /// The session: the contract's `session_agent_id`.
    pub agent_id: AgentId,
    /// The same, as the bus calls it.
    pub id: AgentId,
    /// The persona: the contract's `logical_agent_id`.
    pub name: String,
    /// Whether it is there, as the bus tells it: the word of `connection`.
    pub status: ConnectionState,
    pub role: Option<Role>,
    /// By when it last called, and by proof that its process is gone.
    pub liveness: Presence,
    pub last_seen_at: Timestamp,
    /// What can be seen of its process.
    pub process: ProcessState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_kind: Option<SessionKind>,
    /// The agent whose conversation it shares as a second process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel_to: Option<AgentId>,
    /// Set when its id was given by hand.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub agent_id_override: bool,
    pub holds_stick: bool,
    pub scopes: Vec<String>,
    pub in_progress: Vec<TaskId>,
    /// Its wakes in force while it is idle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wake: Option<Wake>,
    /// Set when they were chosen for it, and are not the room's policy.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wake_chosen: bool,
    /// Set while its session has ended and a runner may resume it: until when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumable_until: Option<Timestamp>,
    /// Whether it is there, and why.
    pub connection: AgentConnection,
    /// Whether it is the caller.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub you: bool,
    /// Whether it has left, or goes by another name now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub former: bool,
}

/// What identities are shown from.
struct Directory<'a> {
    view: View<'a>,
    scopes: &'a Scopes,
    in_progress: &'a [Task],
    streams: &'a Streams,
    viewer: &'a AgentId,
}

impl Directory<'_> {
    fn member(&self, member: &Member) -> AgentView {
        let View { room, now, .. } = self.view;
        let agent = &member.agent_id;
        let (liveness, process) = self.view.presence(agent);
        let connection = self.connection(member);
        AgentView {
            agent_id: agent.clone(),
            id: agent.clone(),
            name: member.display_name.clone(),
            status: connection.state,
            role: member.role.clone(),
            liveness,
            last_seen_at: member.last_seen_at,
            process: ProcessState::of(&process),
            session_kind: member.sender_kind(),
            parallel_to: member.parallel_to.clone(),
            agent_id_override: member.overridden,
            holds_stick: room.owner() == Some(agent),
            scopes: self.scopes_of(agent, now),
            in_progress: self.tasks_of(agent),
            // A person is not woken.
            wake: (!member.session_kind.is_person()).then(|| room.wake_of(member)),
            wake_chosen: member.wake.is_some(),
            resumable_until: member.rest.filter(|_| room.is_resting(now, member)).map(|rest| rest.until),
            connection,
            you: agent == self.viewer,
            former: false,
        }
    }

    fn connection(&self, member: &Member) -> AgentConnection {
        let View { room, now, stale_after, witness, .. } = self.view;
        self.streams.member(&Vantage::new(room, now, stale_after, witness), member)
    }

    fn former(&self, former: &Former) -> AgentView {
        // A member that goes by another name now is one agent under both.
        let member = self.view.room.member(&former.agent_id);
        let connection = member.map_or_else(|| AgentConnection::left(former), |member| self.connection(member));
        AgentView {
            agent_id: former.agent_id.clone(),
            id: former.agent_id.clone(),
            name: former.name.clone(),
            status: connection.state,
            role: former.role.clone(),
            liveness: Presence::Evicted,
            last_seen_at: former.until,
            process: ProcessState::Unknown,
            session_kind: None,
            parallel_to: None,
            agent_id_override: false,
            holds_stick: false,
            scopes: Vec::new(),
            in_progress: self.tasks_of(&former.agent_id),
            wake: None,
            wake_chosen: false,
            resumable_until: None,
            connection,
            you: former.agent_id == *self.viewer,
            former: true,
        }
    }

    /// What an agent has reserved. In a room that is over nobody has anything.
    fn scopes_of(&self, agent: &AgentId, now: Timestamp) -> Vec<String> {
        let open = self.view.room.stick != Stick::Closed;
        let own = self.scopes.of(agent).filter(|own| open && own.is_live(now));
        own.map(|own| own.scope.clone()).collect()
    }

    fn tasks_of(&self, agent: &AgentId) -> Vec<TaskId> {
        let own = self.in_progress.iter().filter(|task| task.assignee.as_ref() == Some(agent));
        own.map(|task| task.id).collect()
    }
}

/// The identity that a name or an id means: a member's, else one that somebody had.
pub(super) fn target(room: &Room, former: &[Former], named: &str) -> Result<Target, Failure> {
    let of_member = |member: &Member| Target { agent_id: member.agent_id.clone(), name: member.display_name.clone() };
    if let Some(member) = room.named(named) {
        return Ok(of_member(member));
    }
    let earlier = former.iter().rev().find(|former| former.name == named || former.agent_id.as_str() == named);
    let earlier = earlier.ok_or_else(|| Failure::unknown_agent(named))?;
    // A name that a member gave up still means that member.
    Ok(room
        .member(&earlier.agent_id)
        .map_or_else(|| Target { agent_id: earlier.agent_id.clone(), name: earlier.name.clone() }, of_member))
}

/// Whether those who left are meant too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Earlier {
    Too,
    Not,
}

/// A room's agents, and what they are shown from.
pub(super) struct Everybody<'a> {
    pub(super) sight: Sight<'a>,
    pub(super) in_progress: Vec<Task>,
    reserved: Scopes,
    streams: Streams,
    earlier: Vec<Former>,
}

impl<'a> Everybody<'a> {
    pub(super) fn read(app: &'a App, tx: &mut dyn Tx, room: &RoomId, earlier: Earlier) -> Result<Self, Failure> {
        let room = app.room(tx, room)?;
        let eyes = app.eyes(tx, &room)?;
        Ok(Self {
            in_progress: tasks::in_state(tx, &room.id, State::InProgress, None, limits::TASKS_MAX)?,
            reserved: scopes::in_force(tx, &room.id)?,
            streams: Streams::of_members(tx, &room, &eyes)?,
            earlier: if earlier == Earlier::Too { former::all(tx, &room.id)? } else { Vec::new() },
            sight: Sight { room, eyes, now: tx.now()? },
        })
    }

    /// All of them as `viewer` sees them: in turn order; then those who left, the last first.
    pub(super) fn views(&self, app: &App, viewer: &AgentId) -> Result<Vec<AgentView>, Failure> {
        let Sight { room, eyes, now } = &self.sight;
        let root = scoping::root(room)?;
        let view = View { room, root: &root, now: *now, stale_after: app.stale_after()?, witness: eyes };
        let directory =
            Directory { view, scopes: &self.reserved, in_progress: &self.in_progress, streams: &self.streams, viewer };
        let members = room.members.iter().map(|member| directory.member(member));
        Ok(members.chain(self.earlier.iter().rev().map(|former| directory.former(former))).collect())
    }
}
