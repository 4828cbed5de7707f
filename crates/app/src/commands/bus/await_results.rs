//! Waiting until all actions of a group have ended. A target that is gone meanwhile ends its own.

use std::time::Duration;

use baton_core::{
    bus::{Action, BusId},
    ids::{RoomId, Seq},
    limits,
};
use baton_store::bus::{self as store, Which};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ActionView, view::views};
use crate::{
    App, Caller, Failure, presence,
    table::{BUS, Effect, Place, UseCase},
    watch::Patience,
};

/// `bus.await`
pub struct Await;

/// What to wait for.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AwaitInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
    pub group_id: BusId,
    /// Up to 50000; default 0
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_wait_ms: Option<u64>,
}

/// How far they are.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct AwaitResult {
    pub room_id: RoomId,
    /// Whether all have ended.
    pub ended: bool,
    /// How many have not.
    pub open: u64,
    /// The first of them, oldest first; all are in `action.list`.
    pub actions: Vec<ActionView>,
    /// Whether there are more.
    pub has_more: bool,
}

impl UseCase for Await {
    const NAME: &'static str = "bus.await";
    const PLACE: Place = Place::Portal(&BUS);
    const WIRE: Option<&'static str> = Some("action.wait");
    const EFFECT: Effect = Effect::Wait;
    const ABOUT: &'static str = "Wait until all actions of a group have ended.";
    type Input = AwaitInput;
    type Output = AwaitResult;

    fn perform(app: &App, caller: &Caller, input: AwaitInput) -> Result<AwaitResult, Failure> {
        let patience = Patience::of(input.max_wait_ms)?;
        presence::show(app, caller, &input.room_id)?;
        let look = |left: Duration| {
            app.sweep_gone(&input.room_id)?;
            let found = standing(app, &input)?;
            Ok((found.ended || left.is_zero()).then_some(found))
        };
        let waited = app.wait_for(caller, &input.room_id, patience, look)?;
        waited.map_or_else(|| standing(app, &input), Ok)
    }
}

fn standing(app: &App, input: &AwaitInput) -> Result<AwaitResult, Failure> {
    let room = &input.room_id;
    app.store.read(|tx| {
        app.room(tx, room)?;
        let (mut open, mut after, mut first) = (0, Seq::default(), None::<Vec<Action>>);
        loop {
            let page = store::actions(tx, room, Which::Group(&input.group_id), after, limits::ACTIONS_MAX)?;
            let Some(last) = page.last() else { break };
            after = last.seq;
            let first = first.get_or_insert_with(|| page.clone());
            // What others answered in it is not what was asked in it, and nobody waits for its end.
            let asked = |action: &&Action| first.first().is_some_and(|begun| begun.sender == action.sender);
            open += page.iter().filter(asked).filter(|action| action.is_open()).count() as u64;
        }
        let first = first.ok_or_else(|| Failure::unknown_id(&input.group_id))?;
        let actions = views(tx, room, &first, limits::ACTIONS_DEFAULT)?;
        let has_more = actions.len() < first.len();
        Ok(AwaitResult { room_id: room.clone(), ended: open == 0, open, actions, has_more })
    })
}
