//! Actions and how far they are.

use baton_core::{
    bus::BusId,
    code::ErrorCode,
    ids::{AgentId, RoomId, Seq},
    limits,
};
use baton_store::bus::{self as store, Which};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ActionView;
use crate::{
    App, Caller, Failure,
    bounds::{self, Page},
    presence,
    table::{BUS, Effect, Place, UseCase},
};

/// `bus.actions`
pub struct Actions;

/// Which actions.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ActionsInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
    /// Only those of a group
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_id: Option<BusId>,
    /// Only those for an agent
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dst: Option<AgentId>,
    /// Only those from an agent
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub src: Option<AgentId>,
    /// Only those of `dst` that have not ended
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
    /// Only after this place
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Seq>,
    /// 1 to 200; default 50
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
        let which = which(&input)?;
        let after = input.after.unwrap_or_default();
        let found = app.store.read::<_, Failure>(|tx| {
            app.room(tx, &input.room_id)?;
            Ok(match (input.open, which) {
                (true, Which::Target(target)) => store::open_of(tx, &input.room_id, target, after, limit + 1)?,
                _ => store::actions(tx, &input.room_id, which, after, limit + 1)?,
            })
        })?;
        let actions = Page::default().fill(&found, limit, |action| ActionView::of(&input.room_id, action));
        let has_more = actions.len() < found.len();
        Ok(ActionsResult { room_id: input.room_id.clone(), actions, has_more })
    }
}

fn which(input: &ActionsInput) -> Result<Which<'_>, Failure> {
    let invalid = |field: &str, why: &str| {
        Err(Failure::new(ErrorCode::InvalidInput, format!("{field}: {why}.")).with("field", field))
    };
    match (&input.group_id, &input.dst, &input.src) {
        (None, None, _) if input.open => invalid("open", "goes with dst"),
        (Some(_), _, _) if input.open => invalid("open", "goes with dst alone"),
        (Some(group), None, None) => Ok(Which::Group(group)),
        (None, Some(target), None) => Ok(Which::Target(target)),
        (None, None, Some(sender)) => Ok(Which::Sender(sender)),
        (None, None, None) => Ok(Which::All),
        _ => invalid("src", "give one of group_id, dst and src"),
    }
}
