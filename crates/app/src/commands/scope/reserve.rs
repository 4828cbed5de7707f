//! Reserving paths, going past those who do not respond, and giving paths back.

use baton_core::{
    agent::Presence,
    code::ErrorCode,
    ids::{AgentId, BeadId, RoomId},
    limits,
    scope::{self, Came, Event, Takeover, View},
    time::Ttl,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ScopeView;
use crate::{
    App, Caller, Failure,
    app::Request,
    scoping,
    table::{Effect, Place, SCOPE, UseCase},
    unit::Outcome,
};

/// `scope.reserve`
pub struct Reserve;

/// What to reserve.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReserveInput {
    pub room_id: RoomId,
    /// Paths relative to the room's root: a file, a directory, or dir/*
    pub scopes: Vec<String>,
    /// 5 to 1440; default 120
    pub ttl_minutes: Option<u64>,
    /// Displace owners that are stale or evicted
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub takeover_stale: bool,
    /// The task or bead it is for; default: your task in progress
    pub bead_id: Option<BeadId>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// What is reserved now.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReserveResult {
    pub room_id: RoomId,
    pub reserved: Vec<ScopeView>,
    /// Reservations that ended for it.
    pub displaced: Vec<DisplacedView>,
}

/// A reservation that ended because its owner did not respond.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct DisplacedView {
    pub scope: String,
    pub owner: AgentId,
    pub owner_agent: String,
    /// What justified it.
    pub owner_liveness: Presence,
}

impl UseCase for Reserve {
    const NAME: &'static str = "scope.reserve";
    const PLACE: Place = Place::Portal(&SCOPE);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Reserve paths for a while. Refused while an active agent has them.";
    type Input = ReserveInput;
    type Output = ReserveResult;

    fn perform(app: &App, caller: &Caller, input: ReserveInput) -> Result<ReserveResult, Failure> {
        let ttl = ttl(&input)?;
        check_count(&input)?;
        let stale_after = app.stale_after()?;
        let paths = app.scope_paths(&input.room_id, "scopes", &input.scopes);
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change_or_refuse(caller, &request, &input.room_id, |change| {
            change.require_agent()?;
            // The answer counts its caller as present, because it is.
            change.room.touch(&change.actor.agent_id, change.now);
            let root = scoping::root(&change.room)?;
            let wanted = scope::Reserve {
                scopes: paths.clone()?,
                ttl,
                bead_id: change.bead(input.bead_id.as_ref())?,
                takeover: if input.takeover_stale { Takeover::Stale } else { Takeover::No },
            };
            let scopes = change.scopes()?.clone();
            let by = change.actor.agent_id.clone();
            let view = View { room: &change.room, root: &root, now: change.now, stale_after, witness: change.witness };
            let collisions = scopes.collisions(view, &by, &wanted.scopes);
            let decided = scopes.reserve(view, &by, &wanted);
            let came = if decided.is_ok() { Came::Through } else { Came::Short };
            change.record_collisions(&collisions, &by, came)?;
            let events = match decided {
                Ok(events) => events,
                Err(refusal) => return Ok(Outcome::Refused(refusal.into())),
            };
            let displaced = collisions.iter().map(|collision| DisplacedView {
                scope: collision.reservation.scope.clone(),
                owner: collision.reservation.lease.holder.clone(),
                owner_agent: collision.owner_name.clone(),
                owner_liveness: collision.presence,
            });
            let displaced = displaced.collect();
            let recorded = change.record(events)?;
            let ids = recorded.iter().map(|recorded| match &recorded.event {
                baton_core::event::Event::Scope(Event::Reserved(reserved)) => reserved.renews.unwrap_or(recorded.seq),
                _ => recorded.seq,
            });
            let ids: Vec<_> = ids.collect();
            let scopes = change.scopes()?.clone();
            let view = View { room: &change.room, root: &root, now: change.now, stale_after, witness: change.witness };
            let reserved = ids.iter().filter_map(|id| scopes.get(id)).map(|found| ScopeView::of(found, view, &by));
            let reserved = reserved.collect();
            Ok(Outcome::Done(ReserveResult { room_id: change.room.id.clone(), reserved, displaced }))
        })
    }
}

fn check_count(input: &ReserveInput) -> Result<(), Failure> {
    if (1..=limits::SCOPES_OF_AGENT).contains(&input.scopes.len()) {
        return Ok(());
    }
    let message = format!("scopes must name 1 to {} paths.", limits::SCOPES_OF_AGENT);
    Err(Failure::new(ErrorCode::InvalidArgs, message).with("field", "scopes"))
}

fn ttl(input: &ReserveInput) -> Result<Ttl, Failure> {
    let minutes = input.ttl_minutes.unwrap_or(limits::SCOPE_TTL_MINUTES_DEFAULT);
    if limits::SCOPE_TTL_MINUTES.contains(&minutes) {
        return Ok(Ttl::from_minutes(minutes));
    }
    let (least, most) = limits::SCOPE_TTL_MINUTES.into_inner();
    let message = format!("ttl_minutes must be from {least} to {most}, not {minutes}.");
    Err(Failure::new(ErrorCode::InvalidArgs, message).with("field", "ttl_minutes"))
}

/// `scope.release`
pub struct Release;

/// What to release.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReleaseInput {
    pub room_id: RoomId,
    /// As they were reserved
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// All that you have
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// What was released.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReleaseResult {
    pub room_id: RoomId,
    pub released: Vec<String>,
}

impl UseCase for Release {
    const NAME: &'static str = "scope.release";
    const PLACE: Place = Place::Portal(&SCOPE);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Give back paths that you have reserved.";
    type Input = ReleaseInput;
    type Output = ReleaseResult;

    fn perform(app: &App, caller: &Caller, input: ReleaseInput) -> Result<ReleaseResult, Failure> {
        if input.all != input.scopes.is_empty() {
            let message = "Name the scopes to release, or say all.";
            return Err(Failure::new(ErrorCode::InvalidArgs, message).with("field", "scopes"));
        }
        scoping::require_few(&input.scopes)?;
        let stale_after = app.stale_after()?;
        let named = app.scope_paths(&input.room_id, "scopes", &input.scopes);
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            change.require_agent()?;
            let root = scoping::root(&change.room)?;
            let named = named.clone()?;
            let scopes = change.scopes()?.clone();
            let view = View { room: &change.room, root: &root, now: change.now, stale_after, witness: change.witness };
            let events = scopes.release(view, &change.actor.agent_id, (!input.all).then_some(&named))?;
            let released = events.iter().filter_map(|event| match event {
                Event::Released(released) => Some(released.scope.clone()),
                _ => None,
            });
            let released = released.collect();
            change.record(events)?;
            Ok(ReleaseResult { room_id: change.room.id.clone(), released })
        })
    }
}
