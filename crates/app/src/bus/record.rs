//! An event of the log as an envelope of the bus.

use baton_core::{
    event::{Event, Recorded},
    ids::{AgentId, RoomId, Seq, event_id},
    room,
    time::Timestamp,
};
use baton_store::{log, rooms};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{App, Failure, view::RoomEvent};

/// The version of the bus's envelope.
pub const VERSION: u8 = 1;

/// An event as every stream of the bus tells it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// The envelope's version: 1.
    pub v: u8,
    /// What happened: `message.created`, `action.result`, `agent.updated` …
    #[serde(rename = "type")]
    pub kind: String,
    pub id: String,
    pub ts: Timestamp,
    /// Who did it.
    pub src: AgentId,
    /// Whom it concerns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dst: Option<AgentId>,
    pub session: RoomId,
    /// Its place in the session's log, which is the cursor.
    pub seq: Seq,
    pub payload: Value,
}

impl Record {
    /// An event of a room at `project_root`.
    pub fn of(recorded: &Recorded, project_root: Option<&str>) -> Self {
        Self {
            v: VERSION,
            kind: kind(&recorded.event).to_owned(),
            id: event_id(&recorded.room_id, recorded.seq),
            ts: recorded.at,
            src: recorded.actor.clone(),
            dst: recorded.event.subject().cloned(),
            session: recorded.room_id.clone(),
            seq: recorded.seq,
            payload: payload(recorded, project_root),
        }
    }
}

impl App {
    /// The events of a session after a place, oldest first.
    pub fn records(&self, room: &RoomId, after: Seq, limit: u32) -> Result<Vec<Record>, Failure> {
        self.store.read(|tx| {
            let path = rooms::load(tx, room)?.ok_or_else(|| Failure::unknown_room(room))?.canonical_path;
            let found = log::after(tx, room, after, limit)?;
            Ok(found.iter().map(|recorded| Record::of(recorded, path.as_deref())).collect())
        })
    }

    /// The place of a session's newest event.
    pub fn newest(&self, room: &RoomId) -> Result<Seq, Failure> {
        self.store.read(|tx| Ok(rooms::load(tx, room)?.ok_or_else(|| Failure::unknown_room(room))?.last_seq))
    }
}

/// The contract's name of an event, where it has one; else the log's own.
fn kind(event: &Event) -> &'static str {
    match event {
        Event::Room(room::Event::Created(_)) => "session.created",
        Event::Room(room::Event::Closed(_)) => "session.closed",
        Event::Room(room::Event::Joined(joined)) if !joined.rejoin => "agent.added",
        Event::Room(room::Event::Left(_)) => "agent.removed",
        Event::Room(room::Event::Joined(_) | room::Event::Registered(_) | room::Event::Resumed(_)) => "agent.updated",
        other => other.kind(),
    }
}

/// What an event tells beyond its envelope: what a room's own view of it has.
fn payload(recorded: &Recorded, project_root: Option<&str>) -> Value {
    let view = serde_json::to_value(RoomEvent::of(recorded, project_root));
    let Ok(Value::Object(mut fields)) = view else { return Value::Null };
    for told in ["event_seq", "event_id", "created_at", "event_type"] {
        fields.shift_remove(told);
    }
    fields.retain(|_, value| !value.is_null());
    Value::Object(fields)
}
