//! Facts that tell whether a room's agents are there, read in one go: every look at a room asks for them.

use baton_core::{
    bus::Connection,
    ids::{AgentId, RoomId},
    time::Timestamp,
    turn::TurnId,
};

use crate::{
    StoreError,
    bus::CONNECTIONS,
    engine::{Changes, Query, Tx},
    fields::Fields,
    table::read,
};

/// The streams and the open runs of a room's agents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signs {
    /// Streams of members' runtimes, also those that ended.
    pub connections: Vec<Connection>,
    /// Runs that go on.
    pub runs: Vec<OpenRun>,
}

/// A run that goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenRun {
    /// The agent that is in it.
    pub agent_id: AgentId,
    /// Its number.
    pub id: TurnId,
    /// Its begin.
    pub began_at: Timestamp,
}

/// Moves a member's presence back to a moment.
const AGE: &str = "
    UPDATE members
       SET last_seen_at_ms = ?3
     WHERE room_id = ?1 AND agent_id = ?2 AND last_seen_at_ms > ?3
";

/// Has the next call of an agent stored, however lately one was: it was last seen at `at`, or before.
pub fn age(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId, at: Timestamp) -> Result<(), StoreError> {
    tx.execute(AGE, &[room.as_str().into(), agent.as_str().into(), at.as_millis().into()], Changes::Any)
}

/// Lists the runs that go on.
pub(crate) const OPEN_RUNS: &str = "
    SELECT agent_id, turn, began_at_ms
      FROM turns
     WHERE room_id = ?1 AND ended_at_ms IS NULL
     ORDER BY agent_id
";

/// The streams and the open runs of a room's agents.
pub fn signs(tx: &mut dyn Tx, room: &RoomId) -> Result<Signs, StoreError> {
    let params = [room.as_str().into()];
    let mut signs = Signs::default();
    tx.query_all(&[Query::new(CONNECTIONS, &params), Query::new(OPEN_RUNS, &params)], &mut |which, row| {
        let fields = Fields { table: "turns", key: room.as_str(), row };
        match which {
            0 => signs.connections.push(read(room, row)?),
            _ => signs.runs.push(OpenRun {
                agent_id: fields.id(0)?,
                id: TurnId(fields.number(1)?.try_into().map_err(|error| fields.bad(error))?),
                began_at: fields.time(2)?,
            }),
        }
        Ok(())
    })?;
    Ok(signs)
}
