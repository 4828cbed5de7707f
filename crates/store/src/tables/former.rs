//! Names that somebody had in a room and has no more.

use baton_core::{
    agent::Former,
    ids::{AgentId, RoomId},
};

use crate::{StoreError, engine::Tx, question::questions, table::table};

table! {
    "former_names": Former |former| {
        key |given| { name = given }
        once {}
        changes {
            agent_id = former.agent_id,
            role = former.role,
            until_ms = former.until,
            retired = former.retired,
            added_by = former.added_by,
        }
    }
    read Self { name, agent_id, role, until: until_ms, retired, added_by }
}

questions! {
    /// Every former name in a room, the oldest first.
    pub fn all() -> Vec<Former> = ALL: "
        WHERE room_id = ?1
        ORDER BY until_ms, name
    ";

    /// The last name that an agent had, if it has none any longer.
    pub fn last(agent: &AgentId) -> Option<Former> = LAST: "
        WHERE room_id = ?1 AND agent_id = ?2
        ORDER BY until_ms DESC
        LIMIT 1
    ";
}

/// Whether an agent was taken off the list of members because its process is gone. One who left was not.
pub fn is_retired(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId) -> Result<bool, StoreError> {
    Ok(last(tx, room, agent)?.is_some_and(|former| former.retired))
}
