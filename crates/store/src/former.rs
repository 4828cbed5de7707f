//! Names that somebody had in a room and has no more.

use baton_core::{
    agent::{Former, Given},
    ids::{AgentId, Role, RoomId},
};

use crate::{
    StoreError,
    engine::{Changes, Param, Tx},
    fields::Fields,
};

/// Lists them, the oldest first.
const ALL: &str = "
    SELECT name, agent_id, role, until_ms, retired, added_by
      FROM former_names
     WHERE room_id = ?1
     ORDER BY until_ms, name
";

/// Every former name in a room.
pub fn all(tx: &mut dyn Tx, room: &RoomId) -> Result<Vec<Former>, StoreError> {
    read(tx, ALL, room, &[room.as_str().into()])
}

/// Reads the last of an agent's names.
const LAST: &str = "
    SELECT name, agent_id, role, until_ms, retired, added_by
      FROM former_names
     WHERE room_id = ?1 AND agent_id = ?2
     ORDER BY until_ms DESC
     LIMIT 1
";

/// The last name that an agent had, if it has none any longer.
pub fn last(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId) -> Result<Option<Former>, StoreError> {
    Ok(read(tx, LAST, room, &[room.as_str().into(), agent.as_str().into()])?.pop())
}

fn read(tx: &mut dyn Tx, sql: &'static str, room: &RoomId, params: &[Param<'_>]) -> Result<Vec<Former>, StoreError> {
    let mut found = Vec::new();
    tx.query(sql, params, &mut |row| {
        let fields = Fields { table: "former_names", key: room.as_str(), row };
        found.push(Former {
            name: fields.text(0)?.to_owned(),
            agent_id: fields.id(1)?,
            role: fields.optional(2)?,
            until: fields.time(3)?,
            retired: row.int(4)?.unwrap_or_default() != 0,
            added_by: row.text(5)?.map(str::to_owned),
        });
        Ok(())
    })?;
    Ok(found)
}

/// Whether an agent was taken off the list of members because its process is gone. One who left was not.
pub fn is_retired(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId) -> Result<bool, StoreError> {
    Ok(last(tx, room, agent)?.is_some_and(|former| former.retired))
}

/// Keeps a name from being given out again.
const PUT: &str = "
    INSERT INTO former_names (room_id, name, agent_id, role, until_ms, retired, added_by)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        ON CONFLICT (room_id, name) DO UPDATE
       SET agent_id = excluded.agent_id, role = excluded.role, until_ms = excluded.until_ms,
           retired = excluded.retired, added_by = excluded.added_by
";

/// Takes a name into use again.
const REMOVE: &str = "
    DELETE FROM former_names
     WHERE room_id = ?1 AND name = ?2
";

/// Stores what an event did to names.
pub fn save(tx: &mut dyn Tx, room: &RoomId, given: &Given) -> Result<(), StoreError> {
    if let Some(name) = &given.up {
        tx.execute(REMOVE, &[room.as_str().into(), name.as_str().into()], Changes::Any)?;
    }
    match &given.away {
        Some(former) => put(tx, room, former),
        None => Ok(()),
    }
}

/// Stores a former name.
pub fn put(tx: &mut dyn Tx, room: &RoomId, former: &Former) -> Result<(), StoreError> {
    tx.execute(
        PUT,
        &[
            room.as_str().into(),
            former.name.as_str().into(),
            former.agent_id.as_str().into(),
            former.role.as_ref().map(Role::as_str).into(),
            former.until.as_millis().into(),
            i64::from(former.retired).into(),
            former.added_by.as_deref().into(),
        ],
        Changes::Any,
    )
}
