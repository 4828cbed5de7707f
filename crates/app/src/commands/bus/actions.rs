//! Actions and how far they are, and waiting until a group of them has ended.

use std::time::Duration;

use baton_core::{
    agent::Former,
    bus::{Action, BusId},
    code::ErrorCode,
    ids::{AgentId, RoomId, Seq},
    limits,
    room::Room,
};
use baton_store::{
    bus::{self as store, Which},
    engine::Tx,
    former,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ActionView, view::views};
use crate::{
    App, Caller, Failure, bounds, presence,
    table::{BUS, Effect, Place, UseCase},
    watch::Patience,
};

/// `bus.actions`
pub struct Actions;

/// Which actions.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ActionsInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
    /// Only those of a group
    pub group_id: Option<BusId>,
    /// Only those for an agent, by id or name
    pub dst: Option<String>,
    /// Only those from an agent, by id or name
    pub src: Option<String>,
    /// Only those of `dst` that have not ended
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
    /// Only after this place
    pub after: Option<Seq>,
    /// 1 to 200; default 50
    pub limit: Option<u32>,
}

/// Actions, oldest first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ActionsResult {
    pub room_id: RoomId,
    pub actions: Vec<ActionView>,
    /// Whether there are more: ask again with `after`.
    pub has_more: bool,
}

impl UseCase for Actions {
    const NAME: &'static str = "bus.actions";
    const PLACE: Place = Place::Portal(&BUS);
    const WIRE: Option<&'static str> = Some("action.list");
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "Actions and how far they are: of a group, for an agent or from one.";
    type Input = ActionsInput;
    type Output = ActionsResult;

    fn perform(app: &App, caller: &Caller, input: ActionsInput) -> Result<ActionsResult, Failure> {
        presence::show(app, caller, &input.room_id)?;
        let limit = bounds::limit(input.limit, limits::ACTIONS_DEFAULT, limits::ACTIONS_MAX)?;
        check(&input)?;
        let after = input.after.unwrap_or_default();
        app.store.read(|tx| {
            let room = app.room(tx, &input.room_id)?;
            let mut agent = |field: &str, named: Option<&String>| match named {
                Some(named) => who(tx, &room, field, named).map(Some),
                None => Ok(None),
            };
            let (dst, src) = (agent("dst", input.dst.as_ref())?, agent("src", input.src.as_ref())?);
            let which = match (&input.group_id, &dst, &src) {
                (Some(group), _, _) => Which::Group(group),
                (None, Some(target), _) => Which::Target(target),
                (None, None, Some(sender)) => Which::Sender(sender),
                (None, None, None) => Which::All,
            };
            let found = match (input.open, which) {
                (true, Which::Target(target)) => store::open_of(tx, &room.id, target, after, limit + 1)?,
                _ => store::actions(tx, &room.id, which, after, limit + 1)?,
            };
            let actions = views(tx, &room.id, &found, limit)?;
            let has_more = actions.len() < found.len();
            Ok(ActionsResult { room_id: room.id, actions, has_more })
        })
    }
}

fn check(input: &ActionsInput) -> Result<(), Failure> {
    let invalid = |field: &str, why: &str| {
        Err(Failure::new(ErrorCode::InvalidInput, format!("{field}: {why}.")).with("field", field))
    };
    match (&input.group_id, &input.dst, &input.src) {
        (None, None, _) if input.open => invalid("open", "goes with dst"),
        (Some(_), _, _) if input.open => invalid("open", "goes with dst alone"),
        (Some(_), None, None) | (None, Some(_), None) | (None, None, _) => Ok(()),
        _ => invalid("src", "give one of group_id, dst and src"),
    }
}

/// The agent that an id or a name means: a member, else one that is none any more.
fn who(tx: &mut dyn Tx, room: &Room, field: &str, named: &str) -> Result<AgentId, Failure> {
    if let Some(member) = room.named(named) {
        return Ok(member.agent_id.clone());
    }
    let is_it = |former: &Former| former.name == named || former.agent_id.as_str() == named;
    let left = former::all(tx, &room.id)?.into_iter().rev().find(is_it);
    let unknown = || Failure::unknown_agent(named).with("field", field);
    left.map(|former| former.agent_id).ok_or_else(unknown)
}

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
