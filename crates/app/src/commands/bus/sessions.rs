//! The sessions there are.

use baton_core::limits;
use baton_store::rooms::{self, Standing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Session, SessionStatus};
use crate::{
    App, Caller, Failure, bounds,
    table::{BUS, Effect, Place, Subject, UseCase},
};

/// `bus.sessions`
pub struct Sessions;

/// Which sessions.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionsInput {
    /// open or closed; default: both
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<SessionStatus>,
    /// 1 to 200; default 50
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Sessions, the one that changed last first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct SessionsResult {
    pub sessions: Vec<Session>,
    /// Whether there are more.
    pub has_more: bool,
}

impl UseCase for Sessions {
    const NAME: &'static str = "bus.sessions";
    const PLACE: Place = Place::Portal(&BUS);
    const WIRE: Option<&'static str> = Some("session.list");
    const SUBJECT: Subject = Subject::Store;
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "The sessions there are: every room is one.";
    type Input = SessionsInput;
    type Output = SessionsResult;

    fn perform(app: &App, _caller: &Caller, input: SessionsInput) -> Result<SessionsResult, Failure> {
        let limit = bounds::limit(input.limit, limits::ACTIONS_DEFAULT, limits::ROOMS_MAX)?;
        let standing = match input.status {
            Some(SessionStatus::Open) => Standing::Open,
            Some(SessionStatus::Closed) => Standing::Closed,
            None => Standing::All,
        };
        app.store.read(|tx| {
            let found = rooms::standing(tx, standing, limit + 1)?;
            let has_more = found.len() > limit as usize;
            Ok(SessionsResult {
                sessions: found.into_iter().take(limit as usize).map(Session::from).collect(),
                has_more,
            })
        })
    }
}
