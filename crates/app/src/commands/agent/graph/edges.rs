//! The edges of a graph: those that somebody set, and those that were used.

use baton_core::{ids::AgentId, policy::Edges, time::Timestamp};
use baton_store::{
    engine::Tx,
    envelopes::{self, Way},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::node::NodeView;
use crate::{Failure, app::Sight, commands::envelope::known_as};

/// Envelopes of each agent by which the use of edges is told.
const LOOKED_AT: u32 = 10;

/// An edge, and whether it is used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EdgeUse {
    pub from_agent_id: AgentId,
    pub to_agent_id: AgentId,
    /// What people call whom it leads from.
    pub from: String,
    /// What people call whom it leads to.
    pub to: String,
    /// Whether also the other way.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub both_ways: bool,
    /// When an envelope last went along it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_at: Option<Timestamp>,
}

impl EdgeUse {
    fn leads(&self, from: &AgentId, to: &AgentId) -> bool {
        let ends = (&self.from_agent_id, &self.to_agent_id);
        ends == (from, to) || (self.both_ways && ends == (to, from))
    }
}

/// The edges that somebody set, where they count.
pub(super) fn set(tx: &mut dyn Tx, sight: &Sight<'_>) -> Result<Vec<EdgeUse>, Failure> {
    let room = &sight.room;
    if room.policy.edges == Edges::Mesh {
        return Ok(Vec::new());
    }
    let mut edges = Vec::new();
    for edge in envelopes::edges(tx, &room.id)? {
        edges.push(EdgeUse {
            from: known_as(tx, room, &edge.from)?,
            to: known_as(tx, room, &edge.to)?,
            from_agent_id: edge.from,
            to_agent_id: edge.to,
            both_ways: edge.both_ways,
            used_at: None,
        });
    }
    Ok(edges)
}

/// The same with when they were used. Where all may write to all, an edge is where somebody did.
pub(super) fn used(
    tx: &mut dyn Tx,
    sight: &Sight<'_>,
    nodes: &[NodeView],
    mut edges: Vec<EdgeUse>,
) -> Result<Vec<EdgeUse>, Failure> {
    let room = &sight.room;
    for node in nodes {
        for posted in envelopes::of_agent(tx, &room.id, (&node.agent_id, Way::Sent), None, LOOKED_AT)? {
            let (from, to) = (&posted.sender, &posted.recipient);
            if let Some(edge) = edges.iter_mut().find(|edge| edge.leads(from, to)) {
                edge.used_at = edge.used_at.max(Some(posted.sent_at));
            } else if room.policy.edges == Edges::Mesh && nodes.iter().any(|node| node.agent_id == *to) {
                match edges.iter_mut().find(|edge| edge.leads(to, from)) {
                    Some(edge) => (edge.both_ways, edge.used_at) = (true, edge.used_at.max(Some(posted.sent_at))),
                    None => edges.push(EdgeUse {
                        from: known_as(tx, room, from)?,
                        to: known_as(tx, room, to)?,
                        from_agent_id: from.clone(),
                        to_agent_id: to.clone(),
                        both_ways: false,
                        used_at: Some(posted.sent_at),
                    }),
                }
            }
        }
    }
    Ok(edges)
}
