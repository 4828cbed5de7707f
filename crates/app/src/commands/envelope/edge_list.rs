//! Between whom envelopes may go.

use baton_core::{
    envelope::Edge,
    ids::{AgentId, RoomId, Seq},
    policy::Edges,
    room::Room,
};
use baton_store::envelopes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::party::called;
use crate::{
    App, Caller, Failure,
    presence::{self, Effort},
    table::{AGENT, Effect, Place, UseCase},
};

/// `agent.edge.list`
pub struct EdgeList;

/// Of whom.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EdgeListInput {
    pub room_id: RoomId,
    /// Only those from or to this agent: a name, an id or a job
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

/// The edges of a room.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct EdgeListResult {
    pub room_id: RoomId,
    /// mesh: envelopes go between all, whatever the edges are.
    pub policy: Edges,
    pub edges: Vec<EdgeView>,
}

/// A path along which envelopes may go.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EdgeView {
    /// What people call whom it leads from.
    pub from: String,
    pub from_agent_id: AgentId,
    /// What people call whom it leads to.
    pub to: String,
    pub to_agent_id: AgentId,
    pub both_ways: bool,
    /// The event that opened it.
    pub since: Seq,
}

impl EdgeView {
    pub(super) fn of(room: &Room, edge: &Edge) -> Self {
        Self {
            from: called(room, &edge.from),
            from_agent_id: edge.from.clone(),
            to: called(room, &edge.to),
            to_agent_id: edge.to.clone(),
            both_ways: edge.both_ways,
            since: edge.seq,
        }
    }

    fn is_of(&self, named: &str) -> bool {
        let agents = [self.from.as_str(), self.from_agent_id.as_str(), self.to.as_str(), self.to_agent_id.as_str()];
        agents.contains(&named)
    }
}

impl UseCase for EdgeList {
    const NAME: &'static str = "agent.edge.list";
    const PLACE: Place = Place::Portal(&AGENT);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "Between whom envelopes may go, where the room's policy is `explicit`.";
    type Input = EdgeListInput;
    type Output = EdgeListResult;

    fn perform(app: &App, caller: &Caller, input: EdgeListInput) -> Result<EdgeListResult, Failure> {
        let (mut room, edges, now) = app.store.read(|tx| {
            let room = app.room(tx, &input.room_id)?;
            let edges = envelopes::edges(tx, &room.id)?;
            Ok::<_, Failure>((room, edges, tx.now()?))
        })?;
        presence::refresh(app, caller, &mut room, now, Effort::Try)?;
        let views = edges.iter().map(|edge| EdgeView::of(&room, edge));
        let wanted = |view: &EdgeView| input.agent.as_ref().is_none_or(|agent| view.is_of(agent));
        let edges = views.filter(wanted).collect();
        Ok(EdgeListResult { policy: room.policy.edges, room_id: room.id, edges })
    }
}
