//! Plans: making and listing them.

use baton_core::{
    ids::RoomId,
    library::{PlanDraft, PlanId},
    limits,
    reference::Reference,
    task::TaskId,
};
use baton_store::library;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PlanView;
use crate::{
    App, Caller, Failure,
    app::Request,
    bounds::{self, Page},
    presence, refs,
    table::{Effect, Place, TASKS, UseCase},
};

/// `tasks.plan.create`
pub struct PlanCreate;

/// What is planned.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanCreateInput {
    pub room_id: RoomId,
    pub title: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The tasks, in the order in which they are to be done
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<TaskId>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// A plan, and where it is.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlanResult {
    pub room_id: RoomId,
    #[serde(flatten)]
    pub plan: PlanView,
}

impl UseCase for PlanCreate {
    const NAME: &'static str = "tasks.plan.create";
    const PLACE: Place = Place::Portal(&TASKS);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Make a plan: which tasks, in which order, and why. Point to it as PLAN-1.";
    type Input = PlanCreateInput;
    type Output = PlanResult;

    fn perform(app: &App, caller: &Caller, input: PlanCreateInput) -> Result<PlanResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            let draft = PlanDraft { title: input.title.clone(), text: input.text.clone(), tasks: input.tasks.clone() };
            let id = library::next_plan(change.store.tx()?, &change.room.id)?;
            let event = draft.create(id)?;
            let tasks: Vec<Reference> = input.tasks.iter().copied().map(Reference::Task).collect();
            refs::require(change.store.tx()?, &change.room.id, &tasks)?;
            let recorded = change.record(event)?;
            let (title, created_by) = (input.title.trim().to_owned(), recorded.actor);
            let plan = PlanView { plan: id, title, created_by, created_at: recorded.at };
            Ok(PlanResult { room_id: change.room.id.clone(), plan })
        })
    }
}

/// `tasks.plan.list`
pub struct PlanList;

/// Which plans.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanListInput {
    pub room_id: RoomId,
    /// Only older ones
    pub before: Option<PlanId>,
    /// 1 to 200; default 25
    pub limit: Option<u32>,
}

/// Plans, newest first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlanListResult {
    pub room_id: RoomId,
    pub plans: Vec<PlanView>,
    /// Whether there are more: ask again with `before` the last one.
    pub has_more: bool,
}

impl UseCase for PlanList {
    const NAME: &'static str = "tasks.plan.list";
    const PLACE: Place = Place::Portal(&TASKS);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "List plans, newest first. `open` shows a plan's text and tasks.";
    type Input = PlanListInput;
    type Output = PlanListResult;

    fn perform(app: &App, caller: &Caller, input: PlanListInput) -> Result<PlanListResult, Failure> {
        let limit = bounds::limit(input.limit, limits::CARDS_DEFAULT, limits::CARDS_MAX)?;
        let (room, found) = presence::read(app, caller, &input.room_id, |tx, room, _| {
            Ok(library::plans(tx, &room.id, input.before, limit + 1)?)
        })?;
        let plans = Page::default().fill(&found, limit, PlanView::from);
        let has_more = plans.len() < found.len();
        Ok(PlanListResult { plans, room_id: room.id, has_more })
    }
}
