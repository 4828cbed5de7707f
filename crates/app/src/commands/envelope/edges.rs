//! Edges: between whom envelopes may go. Only who steers opens and closes them.

use baton_core::{
    envelope::{Edge, Party},
    ids::{AgentId, RoomId, Seq},
    policy::Edges,
    room::Room,
};
use baton_store::envelopes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::party::{called, party};
use crate::{
    App, Caller, Failure,
    app::Request,
    presence,
    table::{AGENT, Access, Effect, Place, UseCase},
    unit::Change,
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
    fn of(room: &Room, edge: &Edge) -> Self {
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
        let (room, edges) =
            presence::read(app, caller, &input.room_id, |tx, room, _| Ok(envelopes::edges(tx, &room.id)?))?;
        let views = edges.iter().map(|edge| EdgeView::of(&room, edge));
        let wanted = |view: &EdgeView| input.agent.as_ref().is_none_or(|agent| view.is_of(agent));
        let edges = views.filter(wanted).collect();
        Ok(EdgeListResult { policy: room.policy.edges, room_id: room.id, edges })
    }
}

/// `agent.edge.add`
pub struct EdgeAdd;

/// From whom to whom.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EdgeAddInput {
    pub room_id: RoomId,
    /// A name, an id or a job
    pub from: String,
    /// A name, an id or a job
    pub to: String,
    /// Also the other way
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub both_ways: bool,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

impl UseCase for EdgeAdd {
    const NAME: &'static str = "agent.edge.add";
    const PLACE: Place = Place::Portal(&AGENT);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::operators("`baton edge add` at a terminal");
    const ABOUT: &'static str = "Let one agent hand things to another (operators only).";
    type Input = EdgeAddInput;
    type Output = EdgeListResult;

    fn perform(app: &App, caller: &Caller, input: EdgeAddInput) -> Result<EdgeListResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            let (from, to) = (party(change, "from", &input.from)?.party, party(change, "to", &input.to)?.party);
            let decided = change.store.current::<Edge>()?.add_edge(&from, &to, input.both_ways)?;
            change.record(decided)?;
            edges_now(change)
        })
    }
}

/// The edges as they are in a room that is being changed.
fn edges_now(change: &mut Change<'_>) -> Result<EdgeListResult, Failure> {
    let edges = change.store.current::<Edge>()?.clone();
    let policy: Edges = change.room.policy.edges;
    let edges = edges.iter().map(|edge| EdgeView::of(&change.room, edge)).collect();
    Ok(EdgeListResult { room_id: change.room.id.clone(), policy, edges })
}

/// `agent.edge.remove`
pub struct EdgeRemove;

/// From whom to whom.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EdgeRemoveInput {
    pub room_id: RoomId,
    /// A name, an id or a job
    pub from: String,
    /// A name, an id or a job
    pub to: String,
    /// Also the other way
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub both_ways: bool,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

impl UseCase for EdgeRemove {
    const NAME: &'static str = "agent.edge.remove";
    const PLACE: Place = Place::Portal(&AGENT);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::operators("`baton edge remove` at a terminal");
    const ABOUT: &'static str = "Let one agent hand nothing to another any more (operators only).";
    type Input = EdgeRemoveInput;
    type Output = EdgeListResult;

    fn perform(app: &App, caller: &Caller, input: EdgeRemoveInput) -> Result<EdgeListResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            let (from, to) = (end(change, "from", &input.from)?, end(change, "to", &input.to)?);
            for event in change.store.current::<Edge>()?.remove_edge(&from, &to)? {
                change.record(event)?;
            }
            if input.both_ways && change.store.current::<Edge>()?.leads(&to.agent_id, &from.agent_id) {
                for event in change.store.current::<Edge>()?.remove_edge(&to, &from)? {
                    change.record(event)?;
                }
            }
            edges_now(change)
        })
    }
}

/// Who is meant. An edge may outlive whom it leads to, and is then named as it is listed.
fn end(change: &mut Change<'_>, field: &'static str, named: &str) -> Result<Party, Failure> {
    let edges = change.store.current::<Edge>()?.clone();
    let ends = edges.iter().flat_map(|edge| [&edge.from, &edge.to]);
    let listed = ends.into_iter().find(|agent| agent.as_str() == named);
    match listed {
        Some(agent_id) => Ok(Party { agent_id: agent_id.clone(), name: called(&change.room, agent_id) }),
        None => Ok(party(change, field, named)?.party),
    }
}
