//! Closing an edge.

use baton_core::{envelope::Edge, ids::RoomId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    EdgeListResult,
    edge_add::edges_now,
    party::{called, party},
};
use crate::{
    App, Caller, Failure,
    app::Request,
    table::{AGENT, Access, Effect, Place, UseCase},
    unit::Change,
};
use baton_core::envelope::Party;

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
