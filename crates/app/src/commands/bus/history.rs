//! What happened in a session, as its streams tell it; and perhaps waiting for more.

use std::time::Duration;

use baton_core::{
    code::ErrorCode,
    ids::{RoomId, Seq},
    limits,
};
use baton_store::log;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    bounds::{self, Page},
    bus::Record,
    presence,
    scope_events::Counts,
    table::{BUS, Effect, Place, UseCase},
    watch::Patience,
};

/// How many events one call looks at for those of the types that are wanted.
const LOOKED_AT: u32 = 2_000;

/// `bus.history`
pub struct History;

/// Which events.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HistoryInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
    /// Only after this seq, oldest first (the default, from the beginning)
    pub after: Option<Seq>,
    /// Only before this seq, newest first
    pub before: Option<Seq>,
    /// Only these types: message.created, action.result …
    pub types: Option<Vec<String>>,
    /// 1 to 200; default 50
    pub limit: Option<u32>,
    /// Wait for something after `after`, up to 50000
    pub max_wait_ms: Option<u64>,
}

/// A page of events.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct HistoryResult {
    pub room_id: RoomId,
    pub events: Vec<Record>,
    /// Pass it as `after` (or `before`) next time. It moves over events that were not wanted, too.
    pub cursor: Seq,
    /// Whether more is there already.
    pub has_more: bool,
}

impl UseCase for History {
    const NAME: &'static str = "bus.history";
    const PLACE: Place = Place::Portal(&BUS);
    const WIRE: Option<&'static str> = Some("events.history");
    const EFFECT: Effect = Effect::Follow;
    const ABOUT: &'static str = "What happened in a session, by a cursor; can wait for more.";
    type Input = HistoryInput;
    type Output = HistoryResult;

    fn perform(app: &App, caller: &Caller, input: HistoryInput) -> Result<HistoryResult, Failure> {
        let limit = bounds::limit(input.limit, limits::ACTIONS_DEFAULT, limits::EVENTS_MAX)?;
        let patience = Patience::of(input.max_wait_ms)?;
        if input.after.is_some() && input.before.is_some() {
            let message = "Give either after or before, not both.";
            return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", "before"));
        }
        presence::show(app, caller, &input.room_id)?;
        // Each look goes on where the last one ended, so that what is not wanted is read once.
        let mut from = input.after.unwrap_or_default();
        let look = |left: Duration| {
            let page = page(app, &input, from, limit)?;
            from = page.cursor;
            let done = !page.events.is_empty() || page.has_more || input.before.is_some() || left.is_zero();
            Ok(done.then_some(page))
        };
        match app.wait_for(caller, &input.room_id, patience, look)? {
            Some(page) => Ok(page),
            None => page(app, &input, input.after.unwrap_or_default(), limit),
        }
    }
}

fn page(app: &App, input: &HistoryInput, after: Seq, limit: u32) -> Result<HistoryResult, Failure> {
    let wanted = |record: &Record| input.types.as_ref().is_none_or(|types| types.contains(&record.kind));
    app.store.read(|tx| {
        let room = app.room(tx, &input.room_id)?;
        let (mut events, mut fill) = (Vec::new(), Page::default());
        let (mut cursor, mut looked) = (input.before.unwrap_or(after), 0);
        loop {
            let found = match input.before {
                Some(_) => log::before(tx, &room.id, Some(cursor), limits::EVENTS_MAX)?,
                None => log::after(tx, &room.id, cursor, limits::EVENTS_MAX)?,
            };
            let some = found.len();
            let counts = Counts::read(tx, &room, &found)?;
            for recorded in &found {
                let record = Record::of(recorded, (&room).into(), &counts);
                let full = events.len() == limit as usize;
                if wanted(&record) {
                    if full || !fill.takes(&record) {
                        return Ok(HistoryResult { room_id: room.id, events, cursor, has_more: true });
                    }
                    events.push(record);
                }
                cursor = recorded.seq;
            }
            looked += some as u32;
            if some < limits::EVENTS_MAX as usize || looked >= LOOKED_AT {
                let has_more = some == limits::EVENTS_MAX as usize;
                return Ok(HistoryResult { room_id: room.id, events, cursor, has_more });
            }
        }
    })
}
