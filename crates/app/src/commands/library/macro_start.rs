//! Beginning a piece of work: a task, begun and turned to, in one go.

use baton_core::{
    ids::RoomId,
    task::{Drafted, Task},
};
use baton_store::tasks;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::focus::turn_to;
use crate::{
    App, Caller, Failure,
    app::Request,
    commands::tasks::{TaskResult, scopes},
    table::{Effect, Place, TASKS, UseCase},
};

/// `tasks.macro.start`
pub struct MacroStart;

/// What is to be done.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MacroStartInput {
    pub room_id: RoomId,
    pub title: String,
    /// When it is done
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition_of_done: Option<String>,
    /// How to make sure, step by step
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verification: Vec<String>,
    /// Paths it is about
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

impl UseCase for MacroStart {
    const NAME: &'static str = "tasks.macro.start";
    const PLACE: Place = Place::Portal(&TASKS);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Create a task, begin it and turn to it.";
    type Input = MacroStartInput;
    type Output = TaskResult;

    fn perform(app: &App, caller: &Caller, input: MacroStartInput) -> Result<TaskResult, Failure> {
        let scopes = scopes(app, &input.room_id, &input.scopes);
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            // A task that somebody is at is a member's: others must be able to ask for it.
            change.require_agent()?;
            let drafted = Drafted {
                title: input.title.clone(),
                scopes: scopes.clone()?,
                assignee: None,
                definition_of_done: input.definition_of_done.clone(),
                verification: input.verification.clone(),
            };
            let id = tasks::next_id(change.store.tx()?, &change.room.id)?;
            change.record(drafted.create(id)?)?;
            let task = change.store.find::<Task>(&id)?.ok_or_else(|| Failure::unknown_id(id))?;
            let decided = task.start(&change.actor.agent_id, &[])?;
            change.record(decided)?;
            turn_to(change, Some(id))?;
            TaskResult::now(change, id)
        })
    }
}
