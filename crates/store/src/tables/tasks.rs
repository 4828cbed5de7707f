//! Tasks.

use baton_core::{
    ids::{AgentId, RoomId},
    task::{Focus, State, Task, TaskId},
};

use crate::{
    StoreError,
    engine::Tx,
    fields::Fields,
    sql::select,
    table::{self, table},
};

table! {
    "tasks": Task |task| {
        key |id| { number = id }
        once {
            title = task.title,
            created_by = task.created_by,
            created_at_ms = task.created_at,
            definition_of_done = task.definition_of_done,
            verification = task.verification,
        }
        changes {
            state = task.state,
            assignee = task.assignee,
            scopes = task.scopes,
            updated_at_ms = task.updated_at,
        }
    }
    current "state <> 'done'"
    read Self {
        id: number,
        title,
        state,
        assignee,
        scopes,
        definition_of_done,
        verification,
        created_by,
        created_at: created_at_ms,
        updated_at: updated_at_ms,
    }
}

table! {
    "focus": Focus |focus| {
        key |who| { agent = who }
        once {}
        changes { task = focus.task }
    }
    read Self { agent, task }
}

/// Finds the last number.
const LAST: &str = "
    SELECT number
      FROM tasks
     WHERE room_id = ?1
     ORDER BY number DESC
     LIMIT 1
";

/// The number that the next task of a room gets. The room must be locked.
pub fn next_id(tx: &mut dyn Tx, room: &RoomId) -> Result<TaskId, StoreError> {
    let mut last = 0;
    tx.query(LAST, &[room.as_str().into()], &mut |row| {
        last = Fields { table: "tasks", key: room.as_str(), row }.number(0)?;
        Ok(())
    })?;
    Ok(TaskId(u32::try_from(last + 1).unwrap_or(u32::MAX)))
}

/// Lists the tasks of one state, newest first.
pub(crate) const IN_STATE: &str = select!(
    Task,
    "
     WHERE room_id = ?1 AND state = ?2 AND number < ?3
     ORDER BY number DESC
     LIMIT ?4
"
);

/// Tasks of one state before a number, newest first.
pub fn in_state(
    tx: &mut dyn Tx,
    room: &RoomId,
    state: State,
    before: Option<TaskId>,
    limit: u32,
) -> Result<Vec<Task>, StoreError> {
    let (before, limit) = (bound(before), i64::from(limit));
    table::list(tx, IN_STATE, room, &[room.as_str().into(), state.as_str().into(), before.into(), limit.into()])
}

/// Lists what an agent is at, newest first.
pub(crate) const IN_PROGRESS_OF: &str = select!(
    Task,
    "
     WHERE room_id = ?1 AND state = 'in_progress' AND assignee = ?2
     ORDER BY updated_at_ms DESC, number DESC
"
);

/// What an agent is at: what it began or was given last comes first.
pub fn in_progress_of(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId) -> Result<Vec<Task>, StoreError> {
    table::list(tx, IN_PROGRESS_OF, room, &[room.as_str().into(), agent.as_str().into()])
}

/// Lists the open or running tasks of an agent.
const UNFINISHED_OF: &str = select!(
    Task,
    "
     WHERE room_id = ?1 AND state IN ('open', 'in_progress') AND assignee = ?2
     ORDER BY number
"
);

/// What is assigned to an agent and not done, the oldest first.
pub fn unfinished_of(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId) -> Result<Vec<Task>, StoreError> {
    table::list(tx, UNFINISHED_OF, room, &[room.as_str().into(), agent.as_str().into()])
}

/// Lists the newest.
const NEWEST: &str = select!(
    Task,
    "
     WHERE room_id = ?1 AND number < ?2
     ORDER BY number DESC
     LIMIT ?3
"
);

/// The newest tasks of a room before a number.
pub fn newest(tx: &mut dyn Tx, room: &RoomId, before: Option<TaskId>, limit: u32) -> Result<Vec<Task>, StoreError> {
    table::list(tx, NEWEST, room, &[room.as_str().into(), bound(before).into(), i64::from(limit).into()])
}

/// The number that a listing ends before.
fn bound(before: Option<TaskId>) -> i64 {
    before.map_or(i64::MAX, |id| i64::from(id.0))
}
