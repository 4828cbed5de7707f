//! The task that an agent has turned to: what it means when it names none.

use baton_core::{
    code::ErrorCode,
    ids::RoomId,
    task::{self, Event, Focused, Task, TaskId},
};
use baton_store::{table, tasks};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    app::Request,
    commands::tasks::TaskView,
    table::{Effect, Place, TASKS, UseCase},
    unit::Change,
};

/// `tasks.focus`
pub struct Focus;

/// What to turn to.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FocusInput {
    pub room_id: RoomId,
    /// Turn to this one; without it you are told which it is
    pub task: Option<TaskId>,
    /// Turn to none
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub clear: bool,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// What you have turned to.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct FocusResult {
    pub room_id: RoomId,
    /// None, if you have turned to none and are at none.
    pub focus: Option<TaskView>,
    /// Whether you said so. Otherwise it is the task that you are at.
    pub chosen: bool,
}

impl UseCase for Focus {
    const NAME: &'static str = "tasks.focus";
    const PLACE: Place = Place::Portal(&TASKS);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Turn to a task, which is then meant where you name none; or see which it is.";
    type Input = FocusInput;
    type Output = FocusResult;

    fn perform(app: &App, caller: &Caller, input: FocusInput) -> Result<FocusResult, Failure> {
        if input.clear && input.task.is_some() {
            let message = "Give either task or clear, not both.";
            return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", "clear"));
        }
        if input.task.is_none() && !input.clear {
            return show(app, caller, &input.room_id);
        }
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            turn_to(change, input.task)?;
            let task = match input.task {
                Some(task) => change.store.find::<Task>(&task)?.cloned(),
                None => tasks::in_progress_of(change.store.tx()?, &change.room.id, &change.actor.agent_id)?
                    .into_iter()
                    .next(),
            };
            let focus = task.map(|task| TaskView::of(&task, &change.room));
            Ok(FocusResult { room_id: change.room.id.clone(), focus, chosen: input.task.is_some() })
        })
    }
}

/// Turns the caller to a task, which must be there, or to none. What is so already is no event.
pub(super) fn turn_to(change: &mut Change<'_>, task: Option<TaskId>) -> Result<(), Failure> {
    if let Some(task) = task
        && change.store.find::<Task>(&task)?.is_none()
    {
        return Err(Failure::unknown_task(&task.to_string()));
    }
    let now = change.store.find::<task::Focus>(&change.actor.agent_id)?.map(|focus| focus.task);
    if now != task {
        change.record(Event::Focused(Focused { task }))?;
    }
    Ok(())
}

fn show(app: &App, caller: &Caller, room: &RoomId) -> Result<FocusResult, Failure> {
    let agent = caller.actor().agent_id;
    app.store.read(|tx| {
        let room = app.room(tx, room)?;
        let said = table::find::<task::Focus>(tx, &room.id, &agent)?;
        let task = match &said {
            Some(focus) => table::find::<Task>(tx, &room.id, &focus.task)?,
            None => tasks::in_progress_of(tx, &room.id, &agent)?.into_iter().next(),
        };
        let focus = task.map(|task| TaskView::of(&task, &room));
        Ok(FocusResult { focus, room_id: room.id, chosen: said.is_some() })
    })
}
