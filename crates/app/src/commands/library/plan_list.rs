//! What is planned.

use baton_core::{ids::RoomId, library::PlanId, limits};
use baton_store::library;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PlanView;
use crate::{
    App, Caller, Failure,
    bounds::{self, Page},
    presence::{self, Effort},
    table::{Effect, Place, TASKS, UseCase},
};

/// `tasks.plan.list`
pub struct PlanList;

/// Which plans.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanListInput {
    pub room_id: RoomId,
    /// Only older ones
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<PlanId>,
    /// 1 to 200; default 25
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
        let (mut room, found, now) = app.store.read(|tx| {
            let room = app.room(tx, &input.room_id)?;
            let found = library::plans(tx, &room.id, input.before, limit + 1)?;
            Ok::<_, Failure>((room, found, tx.now()?))
        })?;
        presence::refresh(app, caller, &mut room, now, Effort::Try)?;
        let plans = Page::default().fill(&found, limit, PlanView::from);
        let has_more = plans.len() < found.len();
        Ok(PlanListResult { plans, room_id: room.id, has_more })
    }
}
