//! Sessions: listing, showing, opening, naming and ending them.

use baton_core::{
    ids::RoomId,
    limits,
    room::{Closing, check_name},
};
use baton_store::rooms::{self, Standing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Session, SessionStatus};
use crate::{
    App, Caller, Failure, Rights,
    app::Request,
    bounds,
    commands::room::{end_bus, open_named},
    table::{Access, BUS, Effect, Place, Subject, UseCase},
};

/// `bus.sessions`
pub struct Sessions;

/// Which sessions.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionsInput {
    /// open or closed; default: both
    pub status: Option<SessionStatus>,
    /// 1 to 200; default 50
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

/// `bus.session`
pub struct Get;

/// Which session.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
}

/// The session.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct GetResult {
    pub session: Session,
}

impl UseCase for Get {
    const NAME: &'static str = "bus.session";
    const PLACE: Place = Place::Portal(&BUS);
    const WIRE: Option<&'static str> = Some("session.get");
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "One session: its name, whether it is open, and its newest event.";
    type Input = GetInput;
    type Output = GetResult;

    fn perform(app: &App, _caller: &Caller, input: GetInput) -> Result<GetResult, Failure> {
        app.store.read(|tx| Ok(GetResult { session: Session::of(&app.room(tx, &input.room_id)?) }))
    }
}

/// `bus.open`
pub struct Open;

/// What to open.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenInput {
    /// What to call it
    pub name: Option<String>,
    /// Repeat a call safely: the same key gets the first answer
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

/// `bus.rename`
pub struct Rename;

/// Which name.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RenameInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
    pub name: String,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// The session.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct RenameResult {
    pub session: Session,
}

impl UseCase for Rename {
    const NAME: &'static str = "bus.rename";
    const PLACE: Place = Place::Portal(&BUS);
    const WIRE: Option<&'static str> = Some("session.update");
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::AGENTS.without_jobs(None);
    const ABOUT: &'static str = "Give a session another name.";
    type Input = RenameInput;
    type Output = RenameResult;

    fn perform(app: &App, caller: &Caller, input: RenameInput) -> Result<RenameResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            if caller.rights() < Rights::Operator {
                change.require_agent()?;
            }
            change.decide(|room, _| room.rename(&input.name))?;
            Ok(RenameResult { session: Session::of(&change.room) })
        })
    }
}

/// `bus.close`
pub struct Close;

/// Which session.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloseInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
    /// Why
    pub reason: Option<String>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// The session.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct CloseResult {
    pub session: Session,
}

impl UseCase for Close {
    const NAME: &'static str = "bus.close";
    const PLACE: Place = Place::Portal(&BUS);
    const WIRE: Option<&'static str> = Some("session.close");
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::limited_for_all("unless it is held").without_jobs(None);
    const ABOUT: &'static str = "End a session. Its log stays readable; what was asked of anybody ends in an error. Not while the stick is held.";
    type Input = CloseInput;
    type Output = CloseResult;

    fn perform(app: &App, caller: &Caller, input: CloseInput) -> Result<CloseResult, Failure> {
        let authority = caller.authority();
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            end_bus(change)?;
            let (expected_turn, reason) = (change.room.turn, input.reason.clone());
            let closing = Closing { expected_turn, lease_id: None, reason };
            change.decide(|room, call| room.close(call, &closing, authority))?;
            Ok(CloseResult { session: Session::of(&change.room) })
        })
    }
}
