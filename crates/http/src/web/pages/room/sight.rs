//! What several parts of the page show: the room, its members, and what all are called.

use baton_app::{
    Failure,
    commands::{
        agent::{self, AgentView},
        room::{GetRoomStateResult, State, StateInput},
    },
    view::RoomMember,
};
use baton_core::{
    ids::{AgentId, RoomId},
    room::RoomState,
};
use maud::Markup;

use crate::web::{
    look::Look,
    parts::{self, Names, room_name},
};

/// A room, as this page sees it.
pub(in crate::web::pages) struct Sight {
    pub(in crate::web::pages) state: GetRoomStateResult,
    /// What is known of members beyond the room itself, as far as it fits one answer.
    agents: Vec<AgentView>,
    /// What members are called, and those who left.
    pub(in crate::web::pages) names: Names,
    /// Who looks.
    pub(in crate::web::pages) you: AgentId,
}

impl Sight {
    pub(in crate::web::pages) fn of(look: &Look<'_>) -> Result<Self, Failure> {
        let room_id: RoomId = look.param("room")?;
        let state = look.ask::<State>(StateInput { room_id: room_id.clone() })?;
        let agents = look.ask::<agent::List>(agent::ListInput { room_id, all: true })?.agents;
        let mut names: Names =
            state.members.iter().map(|member| (member.agent_id.clone(), member.display_name.clone())).collect();
        for agent in &agents {
            names.entry(agent.agent_id.clone()).or_insert_with(|| agent.name.clone());
        }
        Ok(Self { state, agents, names, you: look.caller.actor().agent_id })
    }

    pub(in crate::web::pages) fn id(&self) -> &RoomId {
        &self.state.room.room_id
    }

    pub(in crate::web::pages) fn name(&self) -> String {
        let room = &self.state.room;
        room_name(room.name.as_deref(), room.canonical_path.as_deref(), &room.room_id)
    }

    pub(in crate::web::pages) fn is_open(&self) -> bool {
        self.state.room.state != RoomState::Closed
    }

    /// An agent, as a link.
    pub(in crate::web::pages) fn agent(&self, id: &AgentId) -> Markup {
        parts::agent(self.id(), &self.names, id)
    }

    pub(in crate::web::pages) fn member(&self, id: &AgentId) -> Option<&RoomMember> {
        self.state.members.iter().find(|member| member.agent_id == *id)
    }

    /// What else is known of a member.
    pub(in crate::web::pages) fn view(&self, id: &AgentId) -> Option<&AgentView> {
        self.agents.iter().find(|agent| agent.agent_id == *id && !agent.former)
    }

    /// Whether whoever looks is a member.
    pub(in crate::web::pages) fn is_yours(&self) -> bool {
        self.member(&self.you).is_some()
    }
}
