//! Several rooms at a glance, for whoever watches over them: who is in each, and what happened last.

use std::collections::BTreeMap;

use baton_core::{
    agent::{ConnectionStatus, Presence},
    ids::{AgentId, RoomId},
    limits,
    process::SessionKind,
    scope::View,
};
use baton_store::{log, rooms};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    bounds::{self, Page},
    connection::{Signs, Vantage},
    scoping,
    table::{Effect, Place, Subject, Tier, UseCase},
    view::{PathRoom, RoomEvent},
};

/// `room.overview`
pub struct Overview;

/// Which part of the listing.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OverviewInput {
    /// Rooms to pass over: how many you have seen
    pub offset: Option<u32>,
    /// 1 to 200; default 20
    pub limit: Option<u32>,
}

/// Rooms, those that changed last first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct OverviewResult {
    pub rooms: Vec<RoomGlance>,
    /// Whether there are more: ask again with a larger `offset`.
    pub has_more: bool,
}

/// A room, and who is in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoomGlance {
    #[serde(flatten)]
    pub room: PathRoom,
    /// In turn order.
    pub agents: Vec<AgentGlance>,
}

/// A member, as it is called, and whether it is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentGlance {
    pub agent_id: AgentId,
    pub name: String,
    /// By when it last called, and by proof that its process is gone.
    pub liveness: Presence,
    /// Whether it is there, and why.
    pub connection: ConnectionStatus,
    /// The kind of session behind it, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_kind: Option<SessionKind>,
}

impl UseCase for Overview {
    const NAME: &'static str = "room.overview";
    const PLACE: Place = Place::Tool("get_rooms_overview", Tier::Full);
    const SUBJECT: Subject = Subject::Store;
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "Every room on this store, newest first: who holds the stick, who is there.";
    type Input = OverviewInput;
    type Output = OverviewResult;

    fn perform(app: &App, caller: &Caller, input: OverviewInput) -> Result<OverviewResult, Failure> {
        let limit = bounds::limit(input.limit, limits::EVENTS_DEFAULT, limits::ROOMS_MAX)?;
        let offset = input.offset.unwrap_or(0);
        let viewer = caller.actor();
        let stale_after = app.stale_after()?;
        app.store.read(|tx| {
            let now = tx.now()?;
            let wanted = offset.saturating_add(limit);
            let found = rooms::recent(tx, wanted.saturating_add(1))?;
            let here = found.iter().take(wanted as usize).skip(offset as usize);
            let (mut rooms, mut page) = (Vec::new(), Page::of(limits::LISTING_BYTES));
            for id in here {
                let room = app.room(tx, id)?;
                let eyes = app.eyes(tx, &room)?;
                let root = scoping::root(&room)?;
                let signs = Signs::read(tx, &room, &eyes)?;
                let from = Vantage::new(&room, now, stale_after, &eyes);
                let view = View { room: &room, root: &root, now, stale_after, witness: &eyes };
                let agents = room.members.iter().map(|member| AgentGlance {
                    agent_id: member.agent_id.clone(),
                    name: member.display_name.clone(),
                    liveness: view.presence(&member.agent_id).0,
                    connection: signs.status(&from, member),
                    session_kind: member.sender_kind(),
                });
                let glance = RoomGlance { agents: agents.collect(), room: PathRoom::of(&room, now, &viewer, &eyes) };
                if !page.takes(&glance) {
                    break;
                }
                rooms.push(glance);
            }
            let has_more = found.len() > offset as usize + rooms.len();
            Ok::<_, Failure>(OverviewResult { rooms, has_more })
        })
    }
}

/// `room.recent`
pub struct Recent;

/// Rooms that are looked at, those that changed last first.
const ROOMS: u32 = 12;

/// How much to tell.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecentInput {
    /// Only in this room; default: in all
    pub room_id: Option<RoomId>,
    /// 1 to 200; default 20
    pub limit: Option<u32>,
}

/// What happened last, newest first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct RecentResult {
    pub events: Vec<RecentEvent>,
    /// The rooms that the events are of.
    pub rooms: Vec<RecentRoom>,
}

/// An event, without the handoff that it may carry.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct RecentEvent {
    pub room_id: RoomId,
    #[serde(flatten)]
    pub event: RoomEvent,
}

/// What a room and its members are called.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct RecentRoom {
    pub room_id: RoomId,
    pub name: Option<String>,
    pub canonical_path: Option<String>,
    /// What people call its members.
    pub names: BTreeMap<AgentId, String>,
}

impl UseCase for Recent {
    const NAME: &'static str = "room.recent";
    const PLACE: Place = Place::Tool("get_recent_events", Tier::Full);
    const SUBJECT: Subject = Subject::Store;
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "What happened last in all rooms, newest first, without the text of handoffs.";
    type Input = RecentInput;
    type Output = RecentResult;

    fn perform(app: &App, _caller: &Caller, input: RecentInput) -> Result<RecentResult, Failure> {
        let limit = bounds::limit(input.limit, limits::EVENTS_DEFAULT, limits::EVENTS_MAX)?;
        let (mut events, mut told) = (Vec::new(), Vec::new());
        app.store.read(|tx| {
            let ids = match &input.room_id {
                Some(room) => vec![room.clone()],
                None => rooms::recent(tx, ROOMS)?,
            };
            for id in &ids {
                let room = app.room(tx, id)?;
                let found = log::before(tx, id, None, limit)?;
                for event in RoomEvent::all_of(tx, &room, &found)? {
                    events.push(RecentEvent { room_id: id.clone(), event: RoomEvent { handoff: None, ..event } });
                }
                let called = |member: &baton_core::room::Member| (member.agent_id.clone(), member.display_name.clone());
                told.push(RecentRoom {
                    room_id: id.clone(),
                    name: room.name.clone(),
                    canonical_path: room.canonical_path.clone(),
                    names: room.members.iter().map(called).collect(),
                });
            }
            Ok::<_, Failure>(())
        })?;
        events.sort_by_key(|recent| std::cmp::Reverse((recent.event.created_at, recent.event.event_seq)));
        let mut page = Page::default();
        let events: Vec<RecentEvent> =
            events.into_iter().take(limit as usize).take_while(|event| page.takes(event)).collect();
        told.retain(|room| events.iter().any(|event| event.room_id == room.room_id));
        Ok(RecentResult { events, rooms: told })
    }
}
