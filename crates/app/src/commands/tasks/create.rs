//! Writing down what there is to do.

use baton_core::{ids::RoomId, task::Drafted};
use baton_store::tasks;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TaskResult;
use crate::{
    App, Caller, Failure,
    app::Request,
    scoping,
    table::{Effect, Place, TASKS, UseCase},
};

/// `tasks.create`
pub struct Create;

/// What is to be done.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateInput {
    pub room_id: RoomId,
    pub title: String,
    /// Paths it is about
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// Name or id of who does it
    pub assignee: Option<String>,
    /// When it is done
    pub definition_of_done: Option<String>,
    /// How to make sure, step by step
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verification: Vec<String>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

impl UseCase for Create {
    const NAME: &'static str = "tasks.create";
    const PLACE: Place = Place::Portal(&TASKS);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Write down something to do.";
    type Input = CreateInput;
    type Output = TaskResult;

    fn perform(app: &App, caller: &Caller, input: CreateInput) -> Result<TaskResult, Failure> {
        let scopes = scopes(app, &input.room_id, &input.scopes);
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            change.require_authority(caller.authority_in(&input.room_id))?;
            let drafted = Drafted {
                title: input.title.clone(),
                scopes: scopes.clone()?,
                assignee: input.assignee.as_deref().map(|named| change.named(named)).transpose()?,
                definition_of_done: input.definition_of_done.clone(),
                verification: input.verification.clone(),
            };
            let id = tasks::next_id(change.store.tx()?, &change.room.id)?;
            change.record(drafted.create(id)?)?;
            TaskResult::now(change, id)
        })
    }
}

/// Scopes of a task as they are stored.
pub(crate) fn scopes(app: &App, room: &RoomId, texts: &[String]) -> Result<Vec<String>, Failure> {
    scoping::require_few(texts)?;
    // Most tasks name none, and nothing has to be read.
    if texts.is_empty() { Ok(Vec::new()) } else { app.stored_scopes(room, "scopes", texts) }
}
