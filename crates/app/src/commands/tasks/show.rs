//! One task.

use baton_core::{
    ids::RoomId,
    task::{Task, TaskId},
};
use baton_store::table;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{TaskResult, TaskView};
use crate::{
    App, Caller, Failure,
    presence::{self, Effort},
    table::{Effect, Place, TASKS, UseCase},
};

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
        let (mut room, found, now) = app.store.read(|tx| {
            let room = app.room(tx, &input.room_id)?;
            let found = table::find::<Task>(tx, &room.id, &input.task)?;
            Ok::<_, Failure>((room, found, tx.now()?))
        })?;
        presence::refresh(app, caller, &mut room, now, Effort::Try)?;
        let task = found.ok_or_else(|| Failure::unknown_task(&input.task.to_string()))?;
        Ok(TaskResult { task: TaskView::of(&task, &room), room_id: room.id })
    }
}
