//! Names that somebody had in a room and has no more.

use baton_core::{
    agent::{Former, Given},
    ids::{Role, RoomId},
};

use crate::{
    StoreError,
    engine::{Changes, Tx},
    fields::Fields,
};

/// Lists them, the oldest first.
const ALL: &str = "
    SELECT name, agent_id, role, until_ms, retired
      FROM former_names
     WHERE room_id = ?1
     ORDER BY until_ms, name
";

/// Every former name in a room.
pub fn all(tx: &mut dyn Tx, room: &RoomId) -> Result<Vec<Former>, StoreError> {
    let mut found = Vec::new();
    tx.query(ALL, &[room.as_str().into()], &mut |row| {
        let fields = Fields { table: "former_names", key: room.as_str(), row };
        found.push(Former {
            name: fields.text(0)?.to_owned(),
            agent_id: fields.id(1)?,
            role: fields.optional(2)?,
            until: fields.time(3)?,
            retired: row.int(4)?.unwrap_or_default() != 0,
        });
        Ok(())
    })?;
    Ok(found)
}

/// Keeps a name from being given out again.
const PUT: &str = "
    INSERT INTO former_names (room_id, name, agent_id, role, until_ms, retired)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT (room_id, name) DO UPDATE
       SET agent_id = excluded.agent_id, role = excluded.role, until_ms = excluded.until_ms, retired = excluded.retired
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
        ],
        Changes::Any,
    )
}
