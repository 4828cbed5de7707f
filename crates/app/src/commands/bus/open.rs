//! Opening a session that belongs to no path.

use baton_core::room::check_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Session;
use crate::{
    App, Caller, Failure,
    app::Request,
    commands::room::open_named,
    table::{BUS, Effect, Place, Subject, UseCase},
};

/// `bus.open`
pub struct Open;

/// What to open.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenInput {
    /// What to call it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// The session.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct OpenResult {
    pub session: Session,
}

impl UseCase for Open {
    const NAME: &'static str = "bus.open";
    const PLACE: Place = Place::Portal(&BUS);
    const WIRE: Option<&'static str> = Some("session.create");
    const SUBJECT: Subject = Subject::Store;
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Open a session that belongs to no path. Join it with `agent.add`.";
    type Input = OpenInput;
    type Output = OpenResult;

    fn perform(app: &App, caller: &Caller, input: OpenInput) -> Result<OpenResult, Failure> {
        if let Some(name) = &input.name {
            check_name(name)?;
        }
        let actor = caller.actor();
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.once(caller, &actor, &request, |tx| {
            let room = open_named(app, tx, &actor, input.name.as_deref())?;
            Ok(OpenResult { session: Session::of(&room) })
        })
    }
}
