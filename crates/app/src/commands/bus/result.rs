//! What a target says of an action.

use baton_core::{
    bus::{self, BusId, Conversation, Data, Report, Status},
    ids::{RoomId, Seq},
};
use baton_store::bus as store;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ActionView, task::lead_of};
use crate::{
    App, Caller, Failure,
    app::{Request, internal},
    table::{Access, BUS, Effect, Place, UseCase},
};

/// `bus.result`
pub struct Result;

/// How far it is.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResultInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
    pub action_id: BusId,
    /// To make sure: the group that it belongs to
    pub group_id: Option<BusId>,
    /// To make sure: its place there
    pub action_index: Option<u32>,
    /// accepted, queued, blocked; completed, rejected and error are the end
    pub status: Status,
    /// More about that
    pub detail: Option<String>,
    /// Of a `new` that is completed
    pub data: Option<Data>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// That it was told.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ResultResult {
    pub room_id: RoomId,
    /// The result's event.
    pub seq: Seq,
    pub action: ActionView,
}

impl UseCase for Result {
    const NAME: &'static str = "bus.result";
    const PLACE: Place = Place::Portal(&BUS);
    const WIRE: Option<&'static str> = Some("action.result");
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::limited_for_all("its own actions");
    const ABOUT: &'static str = "Say how far you are with an action that was submitted to you. It ends once.";
    type Input = ResultInput;
    type Output = ResultResult;

    fn perform(app: &App, caller: &Caller, input: ResultInput) -> std::result::Result<ResultResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        let report = Report { status: input.status, detail: input.detail.clone(), data: input.data.clone() };
        app.change(caller, &request, &input.room_id, |change| {
            change.require_known()?;
            let field = "action_id".to_owned();
            let action = store::action_by_id(change.store.tx()?, &change.room.id, &input.action_id)?;
            let action =
                action.ok_or_else(|| bus::Refusal::UnknownAction { field, action_id: input.action_id.clone() })?;
            agree("group_id", input.group_id.as_ref(), &action.group_id)?;
            agree("action_index", input.action_index.as_ref(), &action.action_index)?;
            let named = report.data.as_ref().and_then(|data| data.new_context_id.as_ref());
            let begun = match named {
                Some(context) => change.store.find::<Conversation>(context)?.cloned(),
                None => None,
            };
            let task = match report.data.as_ref().and_then(|data| data.new_task_id.as_ref()) {
                Some(task) => lead_of(change, task)?,
                None => None,
            };
            let event = action.report(change.actor, &report, begun.as_ref(), task.as_ref())?;
            change.require_open()?;
            let recorded = change.record(event)?;
            let action = store::action_by_id(change.store.tx()?, &change.room.id, &input.action_id)?
                .ok_or_else(|| internal("a result is of an action"))?;
            let room_id = change.room.id.clone();
            let new = store::begun_by(change.store.tx()?, &room_id, &action)?;
            Ok(ResultResult { action: ActionView::of(&room_id, &action, new.as_ref()), room_id, seq: recorded.seq })
        })
    }
}

/// Refuses what contradicts the action.
fn agree<T: PartialEq + std::fmt::Display>(
    field: &str,
    said: Option<&T>,
    is: &T,
) -> std::result::Result<(), bus::Refusal> {
    match said {
        Some(said) if said != is => {
            Err(bus::Refusal::Invalid { field: field.to_owned(), why: format!("it is {is}, not {said}") })
        }
        Some(_) | None => Ok(()),
    }
}
