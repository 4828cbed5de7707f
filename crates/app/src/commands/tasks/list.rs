//! What there is to do.

use baton_core::{
    ids::RoomId,
    limits,
    task::{State, TaskId},
};
use baton_store::tasks;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TaskView;
use crate::{
    App, Caller, Failure,
    bounds::{self, Page},
    presence::{self, Effort},
    table::{Effect, Place, TASKS, UseCase},
};

/// `tasks.list`
pub struct List;

/// Which tasks.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListInput {
    pub room_id: RoomId,
    /// Only those
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
    /// Only yours, unfinished
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mine: bool,
    /// Only older ones
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<TaskId>,
    /// 1 to 200; default 50
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Tasks, newest first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListResult {
    pub room_id: RoomId,
    pub tasks: Vec<TaskView>,
    /// Whether there are more: ask again with `before` the last one.
    pub has_more: bool,
}

impl UseCase for List {
    const NAME: &'static str = "tasks.list";
    const PLACE: Place = Place::Portal(&TASKS);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "List tasks, newest first.";
    type Input = ListInput;
    type Output = ListResult;

    fn perform(app: &App, caller: &Caller, input: ListInput) -> Result<ListResult, Failure> {
        let limit = bounds::limit(input.limit, limits::TASKS_DEFAULT, limits::TASKS_MAX)?;
        let you = caller.actor().agent_id;
        let (mut room, mut found, now) = app.store.read(|tx| {
            let room = app.room(tx, &input.room_id)?;
            let found = match (input.mine, input.state) {
                (true, _) => tasks::unfinished_of(tx, &room.id, &you)?.into_iter().rev().collect(),
                (false, Some(state)) => tasks::in_state(tx, &room.id, state, input.before, limit + 1)?,
                (false, None) => tasks::newest(tx, &room.id, input.before, limit + 1)?,
            };
            Ok::<_, Failure>((room, found, tx.now()?))
        })?;
        presence::refresh(app, caller, &mut room, now, Effort::Try)?;
        found.retain(|task| input.state.is_none_or(|state| task.state == state));
        found.retain(|task| input.before.is_none_or(|before| task.id < before));
        let mut page = Page::default();
        let views = found.iter().take(limit as usize).map(|task| TaskView::of(task, &room));
        let tasks: Vec<TaskView> = views.take_while(|view| page.takes(view)).collect();
        let has_more = tasks.len() < found.len();
        Ok(ListResult { tasks, room_id: room.id, has_more })
    }
}
