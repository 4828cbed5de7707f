//! Calls that wait for others, while they do.

use baton_core::{
    ids::{AgentId, RoomId},
    job::JobId,
    process::ProcessIdentity,
    time::Timestamp,
};
use serde::{Deserialize, Serialize};

use crate::{
    StoreError,
    engine::{Changes, Row, Tx},
    fields::{Fields, bad},
    question::{Answer, questions},
    sql::Shape,
};

/// A call that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Its own name in the room.
    pub id: String,
    /// The agent that waits.
    pub agent_id: AgentId,
    /// The process that waits for them, where it can be told.
    pub process: Option<ProcessIdentity>,
    /// The agents and jobs it waits for.
    pub awaited: Awaited,
    /// Since when.
    pub since: Timestamp,
    /// How long at most.
    pub until: Timestamp,
}

/// The agents and jobs that a call waits for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Awaited {
    /// Until each has answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<AgentId>,
    /// Until each has ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobId>,
    /// Whether one of them is enough.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub any: bool,
}

const PUT: &str = "
    INSERT INTO waits (room_id, wait_id, agent_id, process, awaited, since_ms, until_ms)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        ON CONFLICT (room_id, wait_id) DO NOTHING
";

/// Forgets what lasted longer than it may.
const FORGET: &str = "
    DELETE FROM waits
     WHERE room_id = ?1 AND until_ms < ?2
";

/// Notes a call that begins to wait, and forgets those whose time is over.
pub fn begin(tx: &mut dyn Tx, room: &RoomId, wait: &Wait) -> Result<(), StoreError> {
    let wrong = |error: serde_json::Error| bad("waits", room.as_str(), error);
    let process = wait.process.as_ref().map(serde_json::to_string).transpose().map_err(wrong)?;
    let awaited = serde_json::to_string(&wait.awaited).map_err(wrong)?;
    tx.execute(FORGET, &[room.as_str().into(), wait.since.as_millis().into()], Changes::Any)?;
    let params = [
        room.as_str().into(),
        wait.id.as_str().into(),
        wait.agent_id.as_str().into(),
        process.as_deref().into(),
        awaited.as_str().into(),
        wait.since.as_millis().into(),
        wait.until.as_millis().into(),
    ];
    tx.execute(PUT, &params, Changes::Any)
}

const END: &str = "
    DELETE FROM waits
     WHERE room_id = ?1 AND wait_id = ?2
";

/// Notes that a call waits no longer.
pub fn end(tx: &mut dyn Tx, room: &RoomId, id: &str) -> Result<(), StoreError> {
    tx.execute(END, &[room.as_str().into(), id.into()], Changes::Any)
}

questions! {
    /// Calls that wait in a room now, as far as their time goes, the oldest first. Whether their processes are there is
    /// another question.
    pub fn of_room(now: Timestamp) -> Vec<Wait> = OF_ROOM: "
        WHERE room_id = ?1 AND until_ms >= ?2
        ORDER BY since_ms, wait_id
    ";
}

impl Answer for Wait {
    const SHAPE: Shape = Shape::of("waits", &["wait_id", "agent_id", "process", "awaited", "since_ms", "until_ms"]);

    fn read(room: &RoomId, row: &dyn Row) -> Result<Self, StoreError> {
        let fields = Fields { table: "waits", key: room.as_str(), row };
        Ok(Self {
            id: fields.text(0)?.to_owned(),
            agent_id: fields.id(1)?,
            process: fields.optional_json(2)?,
            awaited: serde_json::from_str(fields.text(3)?).map_err(|error| fields.bad(error))?,
            since: fields.time(4)?,
            until: fields.time(5)?,
        })
    }
}
