//! What happened last, wherever it happened: for whoever watches over several rooms.

use std::collections::BTreeMap;

use baton_core::{
    ids::{AgentId, RoomId},
    limits,
};
use baton_store::{log, rooms};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    bounds::{self, Page},
    table::{Effect, Place, Subject, Tier, UseCase},
    view::RoomEvent,
};

/// `room.recent`
pub struct Recent;

/// Rooms that are looked at, those that changed last first.
const ROOMS: u32 = 12;

/// How much to tell.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecentInput {
    /// Only in this room; default: in all
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room_id: Option<RoomId>,
    /// 1 to 200; default 20
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct RecentRoom {
    pub room_id: RoomId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
