//! Opening an edge. Only who steers decides who may write to whom.

use baton_core::{envelope::Edge, ids::RoomId, policy::Edges};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{EdgeListResult, EdgeView, party::party};
use crate::{
    App, Caller, Failure,
    app::Request,
    table::{AGENT, Access, Effect, Place, UseCase},
    unit::Change,
};

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
pub(super) fn edges_now(change: &mut Change<'_>) -> Result<EdgeListResult, Failure> {
    let edges = change.store.current::<Edge>()?.clone();
    let policy: Edges = change.room.policy.edges;
    let edges = edges.iter().map(|edge| EdgeView::of(&change.room, edge)).collect();
    Ok(EdgeListResult { room_id: change.room.id.clone(), policy, edges })
}
