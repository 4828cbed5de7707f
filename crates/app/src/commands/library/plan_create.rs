//! Making a plan.

use baton_core::{ids::RoomId, library::PlanDraft, reference::Reference, task::TaskId};
use baton_store::library;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PlanView;
use crate::{
    App, Caller, Failure,
    app::Request,
    refs,
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
