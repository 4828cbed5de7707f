//! The guard: whether the caller may touch some paths.

use baton_core::{
    agent::Presence,
    code::ErrorCode,
    ids::{AgentId, RoomId},
    limits,
    room::Stick,
    scope::{Came, Collision, Overlap, ScopePath, Strictness, View},
    time::Timestamp,
};
use baton_store::scopes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    app::{Request, Sight},
    bounds::Page,
    presence::{self, Effort},
    scoping,
    table::{Effect, Place, SCOPE, UseCase},
    unit::Outcome,
};

/// How many of the paths an answer names, and in how many bytes.
const NAMED: u32 = 20;
const NAMED_BYTES: usize = 4096;

/// `scope.check`
pub struct Check;

/// What to check.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckInput {
    pub room_id: RoomId,
    /// Files or directories, relative to the room's root or absolute
    pub paths: Vec<String>,
    /// Let the scopes of stale and evicted owners pass
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub active_only: bool,
    /// Whether the paths are a commit's: what lies outside the room is nobody's, and a link is a file. No caller says so on
    /// a wire; `baton scope check --staged` does.
    #[serde(skip)]
    pub committed: bool,
}

/// That nothing is in the way.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CheckResult {
    pub room_id: RoomId,
    /// How many paths were looked at.
    pub checked: usize,
    /// The first of them, from the room's root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// What was let past: the scopes of owners that do not respond, with active_only.
    pub passed: Vec<CollisionView>,
}

/// Whose scope was entered.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CollisionView {
    pub path: String,
    pub scope: String,
    pub incursion_kind: Overlap,
    pub owner: AgentId,
    pub owner_agent: String,
    pub owner_liveness: Presence,
    pub expires_at: Timestamp,
}

impl From<&Collision> for CollisionView {
    fn from(collision: &Collision) -> Self {
        Self {
            path: collision.incoming.clone(),
            scope: collision.reservation.scope.clone(),
            incursion_kind: collision.overlap,
            owner: collision.reservation.lease.holder.clone(),
            owner_agent: collision.owner_name.clone(),
            owner_liveness: collision.presence,
            expires_at: collision.reservation.lease.expires_at,
        }
    }
}

impl UseCase for Check {
    const NAME: &'static str = "scope.check";
    const PLACE: Place = Place::Portal(&SCOPE);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str =
        "May you edit these paths? Refused, with whose they are, when another has reserved them.";
    type Input = CheckInput;
    type Output = CheckResult;

    fn perform(app: &App, caller: &Caller, input: CheckInput) -> Result<CheckResult, Failure> {
        if !(1..=limits::CHECKED_PATHS).contains(&input.paths.len()) {
            let message = format!("paths must name 1 to {} paths.", limits::CHECKED_PATHS);
            return Err(Failure::new(ErrorCode::InvalidArgs, message).with("field", "paths"));
        }
        let stale_after = app.stale_after()?;
        let strictness = if input.active_only { Strictness::ActiveOnly } else { Strictness::Everyone };
        let by = caller.actor().agent_id;
        let (mut sight, found) = app.store.read(|tx| {
            let room = app.room(tx, &input.room_id)?;
            let eyes = app.eyes(tx, &room)?;
            let found = scopes::in_force(tx, &room.id)?;
            Ok::<_, Failure>((Sight { room, eyes, now: tx.now()? }, found))
        })?;
        presence::refresh(app, caller, &mut sight.room, sight.now, Effort::Try)?;
        let root = scoping::root(&sight.room)?;
        let named = paths(app, &root, &input)?;
        let paths: Vec<ScopePath> = named.iter().map(|(path, _)| path.clone()).collect();
        let mut page = Page::of(NAMED_BYTES);
        let clear = CheckResult {
            room_id: input.room_id.clone(),
            checked: input.paths.len(),
            paths: page.fill(&named, NAMED, |(path, text)| scoping::repeated(path, &root, text)),
            passed: Vec::new(),
        };
        let view = View { room: &sight.room, root: &root, now: sight.now, stale_after, witness: &sight.eyes };
        // Mostly nothing is in the way, and then nothing is written.
        if sight.room.stick == Stick::Closed || found.collisions(view, &by, &paths).is_empty() {
            return Ok(clear);
        }
        let request = Request { command: Self::NAME, input: &input, key: None };
        app.change_or_refuse(caller, &request, &input.room_id, |change| {
            if change.room.stick == Stick::Closed {
                return Ok(Outcome::Done(clear.clone()));
            }
            let scopes = change.scopes()?.clone();
            let view = View { room: &change.room, root: &root, now: change.now, stale_after, witness: change.witness };
            let (collisions, verdict) = scopes.check(view, &by, &paths, strictness);
            let came = if verdict.is_ok() { Came::Through } else { Came::Short };
            change.record_collisions(&collisions, &by, came)?;
            let passed = collisions.iter().map(CollisionView::from).collect();
            Ok(match verdict {
                Ok(()) => Outcome::Done(CheckResult { passed, ..clear.clone() }),
                Err(refusal) => Outcome::Refused(refusal.into()),
            })
        })
    }
}

/// The paths that were given and lie in the room, each with how it was written.
fn paths<'a>(app: &App, root: &ScopePath, input: &'a CheckInput) -> Result<Vec<(ScopePath, &'a str)>, Failure> {
    let read = |text: &'a String| {
        let path = match input.committed {
            true => app.committed_path(root, "paths", text)?,
            false => Some(app.written_path(root, "paths", text)?),
        };
        Ok(path.map(|path| (path, text.as_str())))
    };
    input.paths.iter().map(read).filter_map(Result::transpose).collect()
}
