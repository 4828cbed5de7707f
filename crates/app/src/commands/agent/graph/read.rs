//! The graph of a room, from one look that changes nothing: nothing is delivered by it, and nobody counts as there.

use baton_core::{
    ids::{AgentId, RoomId, Seq},
    inbox::Item,
    job::{Status, agent_of},
    policy::Edges,
};
use baton_store::{engine::Tx, inbox, jobs};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    super::{
        directory::{Earlier, Everybody},
        node::NodeView,
    },
    EdgeUse, FlightView, WaitView, edges, flights, waits,
};
use crate::{
    App, Caller, Failure,
    bounds::{self, Page},
    table::{AGENT, Effect, Place, UseCase},
};

/// `agent.graph`
pub struct Graph;

/// Nodes that a graph has at most.
const NODES_MAX: u32 = 100;
/// A graph of as many nodes as somebody asks for, in bytes.
const WHOLE_BYTES: usize = 64_000;
/// Items that are looked at in an inbox.
const ITEMS: u32 = 50;

/// Of which room.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GraphInput {
    pub room_id: RoomId,
    /// 1 to 100 agents; default: as much as fits a page
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// A room as a graph.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct GraphResult {
    pub room_id: RoomId,
    /// Members in turn order, then agents of jobs that are at work, then whoever else is named below.
    pub nodes: Vec<NodeView>,
    /// mesh: envelopes go between all, and the edges are those that were used.
    pub policy: Edges,
    pub edges: Vec<EdgeUse>,
    /// What was sent and not consumed, oldest first.
    pub flights: Vec<FlightView>,
    /// Who waits for whom, and why.
    pub waits: Vec<WaitView>,
    /// What was left out, and how to get it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<String>,
}

impl UseCase for Graph {
    const NAME: &'static str = "agent.graph";
    const PLACE: Place = Place::Portal(&AGENT);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "The room as a graph: agents, edges, what is on its way, who waits for whom and why.";
    type Input = GraphInput;
    type Output = GraphResult;

    fn perform(app: &App, caller: &Caller, input: GraphInput) -> Result<GraphResult, Failure> {
        let limit = bounds::limit(input.limit, NODES_MAX, NODES_MAX)? as usize;
        let viewer = caller.actor().agent_id;
        let whole = app.store.read(|tx| whole(app, tx, &input.room_id, &viewer))?;
        let page = if input.limit.is_some() { Page::of(WHOLE_BYTES) } else { Page::default() };
        Ok(fitting(whole, page, limit))
    }
}

fn whole(app: &App, tx: &mut dyn Tx, room: &RoomId, viewer: &AgentId) -> Result<GraphResult, Failure> {
    let found = Everybody::read(app, tx, room, Earlier::Not)?;
    let mut nodes = NodeView::everybody(app, tx, &found, viewer)?;
    for job in jobs::in_status(tx, room, Status::Running, None, NODES_MAX)?.iter().rev() {
        add(tx, &found, &mut nodes, &agent_of(room, job.id))?;
    }
    let own = waits::of_room(tx, &found.sight)?;
    let set = edges::set(tx, &found.sight)?;
    let ends = set.iter().flat_map(|edge| [&edge.from_agent_id, &edge.to_agent_id]);
    let ends = ends.chain(own.iter().flat_map(|wait| [Some(&wait.from_agent_id), wait.to_agent_id.as_ref()]).flatten());
    for agent in ends {
        add(tx, &found, &mut nodes, agent)?;
    }
    let mut pending: Vec<Item> = Vec::new();
    for node in &mut nodes {
        let items = inbox::pending(tx, room, &node.agent_id, Seq::default(), ITEMS)?;
        node.queued = items.iter().filter(|item| item.seen_at.is_none()).count() as u64;
        pending.extend(items);
    }
    for item in &pending {
        add(tx, &found, &mut nodes, &item.sender)?;
    }
    let flights = flights::of_items(tx, &found.sight, &pending)?;
    let mut waits = own;
    waits.extend(waits::for_acceptance(tx, &found.sight, &pending)?);
    waits.sort_by(|one, other| (one.since, &one.from_agent_id).cmp(&(other.since, &other.from_agent_id)));
    let edges = edges::used(tx, &found.sight, &nodes, set)?;
    let policy = found.sight.room.policy.edges;
    Ok(GraphResult { room_id: room.clone(), nodes, policy, edges, flights, waits, more: Vec::new() })
}

/// Adds somebody who is named and is no node yet.
fn add(tx: &mut dyn Tx, found: &Everybody<'_>, nodes: &mut Vec<NodeView>, agent: &AgentId) -> Result<(), Failure> {
    if nodes.len() < NODES_MAX as usize && !nodes.iter().any(|node| node.agent_id == *agent) {
        let node = NodeView::outside(tx, found, agent)?;
        nodes.push(node);
    }
    Ok(())
}

/// As much of a graph as a page holds: agents first, then what somebody may have to see to.
fn fitting(whole: GraphResult, mut page: Page, limit: usize) -> GraphResult {
    let GraphResult { room_id, nodes, policy, edges, flights, waits, mut more } = whole;
    let totals = [("agents", nodes.len()), ("waits", waits.len()), ("flights", flights.len()), ("edges", edges.len())];
    let nodes: Vec<NodeView> = nodes.into_iter().take(limit).take_while(|node| page.takes(node)).collect();
    let waits: Vec<WaitView> = waits.into_iter().take_while(|wait| page.takes(wait)).collect();
    let flights: Vec<FlightView> = flights.into_iter().take_while(|flight| page.takes(flight)).collect();
    let edges: Vec<EdgeUse> = edges.into_iter().take_while(|edge| page.takes(edge)).collect();
    let shown = [nodes.len(), waits.len(), flights.len(), edges.len()];
    for ((what, total), shown) in totals.into_iter().zip(shown).filter(|((_, total), shown)| shown < total) {
        more.push(format!("{} more {what}: agent graph limit={NODES_MAX}", total - shown));
    }
    GraphResult { room_id, nodes, policy, edges, flights, waits, more }
}
