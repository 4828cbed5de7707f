//! Listing tasks, and showing one.

use baton_core::{
    ids::RoomId,
    limits,
    task::{State, Task, TaskId},
};
use baton_store::{table, tasks};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{TaskResult, TaskView};
use crate::{
    App, Caller, Failure,
    bounds::{self, Page},
    presence,
    table::{Effect, Place, TASKS, UseCase},
};

/// `tasks.list`
pub struct List;

/// Which tasks.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListInput {
    pub room_id: RoomId,
    /// Only those
    pub state: Option<State>,
    /// Only yours, unfinished
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mine: bool,
    /// Only older ones
    pub before: Option<TaskId>,
    /// 1 to 200; default 50
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
        let (room, mut found) = presence::read(app, caller, &input.room_id, |tx, room, _| {
            Ok(match (input.mine, input.state) {
                (true, _) => tasks::unfinished_of(tx, &room.id, &you)?.into_iter().rev().collect(),
                (false, Some(state)) => tasks::in_state(tx, &room.id, state, input.before, limit + 1)?,
                (false, None) => tasks::newest(tx, &room.id, input.before, limit + 1)?,
            })
        })?;
        found.retain(|task| input.state.is_none_or(|state| task.state == state));
        found.retain(|task| input.before.is_none_or(|before| task.id < before));
        let mut page = Page::default();
        let views = found.iter().take(limit as usize).map(|task| TaskView::of(task, &room));
        let tasks: Vec<TaskView> = views.take_while(|view| page.takes(view)).collect();
        let has_more = tasks.len() < found.len();
        Ok(ListResult { tasks, room_id: room.id, has_more })
    }
}

/// `tasks.show`
pub struct Show;

/// Which task.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowInput {
    pub room_id: RoomId,
    /// TASK-001
    pub task: TaskId,
}

impl UseCase for Show {
    const NAME: &'static str = "tasks.show";
    const PLACE: Place = Place::Portal(&TASKS);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "Show a task.";
    type Input = ShowInput;
    type Output = TaskResult;

    fn perform(app: &App, caller: &Caller, input: ShowInput) -> Result<TaskResult, Failure> {
        let (room, found) = presence::read(app, caller, &input.room_id, |tx, room, _| {
            Ok(table::find::<Task>(tx, &room.id, &input.task)?)
        })?;
        let task = found.ok_or_else(|| Failure::unknown_task(&input.task.to_string()))?;
        Ok(TaskResult { task: TaskView::of(&task, &room), room_id: room.id })
    }
}
