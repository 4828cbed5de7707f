//! Reservations as callers see them, and who has reserved what.

use baton_core::{
    agent::Presence,
    ids::{AgentId, BeadId, RoomId, Seq},
    limits,
    room::Stick,
    scope::{End, Overlap, Reservation, View},
    time::Timestamp,
};
use baton_store::scopes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    app::Sight,
    bounds::Page,
    presence::{self, Effort},
    scoping,
    table::{Effect, Place, SCOPE, UseCase},
};

/// A reservation of paths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScopeView {
    /// The place of its grant in the room's log, which names it.
    pub reservation: Seq,
    /// Relative to the room's root.
    pub scope: String,
    pub owner: AgentId,
    /// What people call the owner.
    pub owner_agent: String,
    pub owner_liveness: Presence,
    pub bead_id: Option<BeadId>,
    pub reserved_at: Timestamp,
    pub expires_at: Timestamp,
    /// Whether it is the caller's.
    pub yours: bool,
    /// When it ended, if it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// How it ended: expired also when a stale owner was displaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<End>,
}

impl ScopeView {
    pub(super) fn of(reservation: &Reservation, view: View<'_>, viewer: &AgentId) -> Self {
        let owner = &reservation.lease.holder;
        Self {
            reservation: reservation.id(),
            scope: reservation.scope.clone(),
            owner: owner.clone(),
            owner_agent: view.name(owner),
            owner_liveness: view.presence(owner).0,
            bead_id: reservation.bead_id.clone(),
            reserved_at: reservation.since,
            expires_at: reservation.lease.expires_at,
            yours: owner == viewer,
            ended_at: reservation.ended.map(|ended| ended.at),
            ended: reservation.ended.map(|ended| ended.how),
        }
    }
}

/// `scope.status`
pub struct Status;

/// What to list.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatusInput {
    pub room_id: RoomId,
    /// Only those that meet this path
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Also those that ended
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
}

/// What is reserved.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct StatusResult {
    pub room_id: RoomId,
    /// The path that was asked for, from the room's root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// In the order of their grants.
    pub scopes: Vec<ScopeView>,
    /// What ended, the last first; only when asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub archived: Vec<ScopeView>,
    /// Whether there are more than fit: ask with `path`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_more: bool,
}

impl UseCase for Status {
    const NAME: &'static str = "scope.status";
    const PLACE: Place = Place::Portal(&SCOPE);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "Who has reserved which paths, and how present they are.";
    type Input = StatusInput;
    type Output = StatusResult;

    fn perform(app: &App, caller: &Caller, input: StatusInput) -> Result<StatusResult, Failure> {
        let actor = caller.actor();
        let stale_after = app.stale_after()?;
        let archive = if input.all { limits::SCOPES_ARCHIVED_MAX } else { 0 };
        let look = || {
            app.store.read(|tx| {
                let room = app.room(tx, &input.room_id)?;
                let eyes = app.eyes(tx, &room)?;
                let found = (scopes::in_force(tx, &room.id)?, scopes::ended(tx, &room.id, archive)?);
                Ok::<_, Failure>((Sight { room, eyes, now: tx.now()? }, found))
            })
        };
        let (mut sight, (mut in_force, mut ended)) = look()?;
        presence::refresh(app, caller, &mut sight.room, sight.now, Effort::Try)?;
        let lapsed = in_force.iter().any(|reservation| reservation.has_lapsed(sight.now));
        if lapsed && sight.room.stick != Stick::Closed {
            // What ran out is archived by whoever looks. If the store is busy, the next one does it.
            let swept: Result<(), Failure> = presence::write(&app.store, Effort::Try, |tx| {
                app.change_in(tx, caller, &actor, &input.room_id, &mut |change| change.scopes().map(|_| ()))
            });
            if swept.is_ok() {
                (sight, (in_force, ended)) = look()?;
            }
        }
        let Sight { room, eyes, now } = &sight;
        let root = scoping::root(room)?;
        let view = View { room, root: &root, now: *now, stale_after, witness: eyes };
        let open = room.stick != Stick::Closed;
        let path = input.path.as_deref().map(|text| app.scope_path(&root, "path", text)).transpose()?;
        let meant = |found: &&Reservation| {
            path.as_ref().is_none_or(|path| found.path(&root).overlap(path) != Overlap::Disjoint)
        };
        let show = |reservation: &&Reservation| ScopeView::of(reservation, view, &actor.agent_id);
        let live: Vec<_> = in_force.iter().filter(|found| open && found.is_live(*now)).filter(meant).collect();
        let over: Vec<_> = ended.iter().filter(meant).collect();
        let mut page = Page::default();
        let scopes: Vec<_> = live.iter().map(show).take_while(|found| page.takes(found)).collect();
        let archived: Vec<_> = over.iter().map(show).take_while(|found| page.takes(found)).collect();
        let has_more = scopes.len() < live.len() || archived.len() < over.len();
        let path = path.zip(input.path.as_deref()).map(|(path, text)| scoping::repeated(&path, &root, text));
        Ok(StatusResult { room_id: room.id.clone(), path, scopes, archived, has_more })
    }
}
