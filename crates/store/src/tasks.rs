//! Tasks.

use baton_core::{
    ids::{AgentId, RoomId},
    task::{Focus, State, Task, TaskId, Tasks},
};

use crate::{
    StoreError,
    engine::{Changes, Param, Row, Tx},
    fields::{Fields, bad},
};

/// A task as [`task`] reads it, from the rows that are meant.
macro_rules! tasks {
    ($which:literal) => {
        concat!(
            "
    SELECT number, title, state, assignee, scopes, created_by, created_at_ms, updated_at_ms, definition_of_done,
           verification
      FROM tasks",
            $which
        )
    };
}

/// Reads one task.
pub(crate) const FIND: &str = tasks!(
    "
     WHERE room_id = ?1 AND number = ?2
"
);

/// The task with this number.
pub fn find(tx: &mut dyn Tx, room: &RoomId, id: TaskId) -> Result<Option<Task>, StoreError> {
    let found = collect(tx, FIND, room, &[room.as_str().into(), i64::from(id.0).into()])?;
    Ok(found.into_iter().next())
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
pub(crate) const IN_STATE: &str = tasks!(
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
    collect(tx, IN_STATE, room, &[room.as_str().into(), state.as_str().into(), before.into(), limit.into()])
}

/// Lists what an agent is at, newest first.
pub(crate) const IN_PROGRESS_OF: &str = tasks!(
    "
     WHERE room_id = ?1 AND state = 'in_progress' AND assignee = ?2
     ORDER BY updated_at_ms DESC, number DESC
"
);

/// What an agent is at: what it began or was given last comes first.
pub fn in_progress_of(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId) -> Result<Vec<Task>, StoreError> {
    collect(tx, IN_PROGRESS_OF, room, &[room.as_str().into(), agent.as_str().into()])
}

/// Lists the open or running tasks of an agent.
const UNFINISHED_OF: &str = tasks!(
    "
     WHERE room_id = ?1 AND state IN ('open', 'in_progress') AND assignee = ?2
     ORDER BY number
"
);

/// What is assigned to an agent and not done, the oldest first.
pub fn unfinished_of(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId) -> Result<Vec<Task>, StoreError> {
    collect(tx, UNFINISHED_OF, room, &[room.as_str().into(), agent.as_str().into()])
}

/// Lists all of them.
const ALL: &str = tasks!(
    "
     WHERE room_id = ?1
     ORDER BY number
"
);

/// Every task of a room, for a check of them all.
pub fn all(tx: &mut dyn Tx, room: &RoomId) -> Result<Tasks, StoreError> {
    let tasks = collect(tx, ALL, room, &[room.as_str().into()])?;
    let mut focus = Vec::new();
    tx.query(ALL_FOCUS, &[room.as_str().into()], &mut |row| {
        focus.push(focused(room, row)?);
        Ok(())
    })?;
    focus.sort_by(|one, other| one.agent.cmp(&other.agent));
    Ok(Tasks { tasks, focus })
}

/// Lists who has turned to what.
const ALL_FOCUS: &str = "
    SELECT agent, task
      FROM focus
     WHERE room_id = ?1
     ORDER BY agent
";

/// Finds what an agent has turned to.
pub(crate) const FOCUS_OF: &str = "
    SELECT agent, task
      FROM focus
     WHERE room_id = ?1 AND agent = ?2
";

/// The task that an agent has turned to.
pub fn focus_of(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId) -> Result<Option<Focus>, StoreError> {
    let mut found = None;
    tx.query(FOCUS_OF, &[room.as_str().into(), agent.as_str().into()], &mut |row| {
        found = Some(focused(room, row)?);
        Ok(())
    })?;
    Ok(found)
}

fn focused(room: &RoomId, row: &dyn Row) -> Result<Focus, StoreError> {
    let fields = Fields { table: "focus", key: room.as_str(), row };
    let task = fields.number(1)?.try_into().map_err(|_| fields.bad("has a number that is none"))?;
    Ok(Focus { agent: fields.id(0)?, task: TaskId(task) })
}

/// Turns an agent to a task.
const FOCUS: &str = "
    INSERT INTO focus (room_id, agent, task)
    VALUES (?1, ?2, ?3)
        ON CONFLICT (room_id, agent) DO UPDATE
       SET task = excluded.task
";

/// Turns an agent away from its task.
const UNFOCUS: &str = "
    DELETE FROM focus
     WHERE room_id = ?1 AND agent = ?2
";

/// Stores who has turned to what, where that became different.
pub fn save_focus(tx: &mut dyn Tx, room: &RoomId, before: &[Focus], after: &[Focus]) -> Result<(), StoreError> {
    for gone in before.iter().filter(|known| after.iter().all(|focus| focus.agent != known.agent)) {
        tx.execute(UNFOCUS, &[room.as_str().into(), gone.agent.as_str().into()], Changes::Any)?;
    }
    for focus in after.iter().filter(|focus| !before.contains(focus)) {
        let params = [room.as_str().into(), focus.agent.as_str().into(), i64::from(focus.task.0).into()];
        tx.execute(FOCUS, &params, Changes::One("focus"))?;
    }
    Ok(())
}

/// Lists the newest.
const NEWEST: &str = tasks!(
    "
     WHERE room_id = ?1 AND number < ?2
     ORDER BY number DESC
     LIMIT ?3
"
);

/// The newest tasks of a room before a number.
pub fn newest(tx: &mut dyn Tx, room: &RoomId, before: Option<TaskId>, limit: u32) -> Result<Vec<Task>, StoreError> {
    collect(tx, NEWEST, room, &[room.as_str().into(), bound(before).into(), i64::from(limit).into()])
}

/// The number that a listing ends before.
fn bound(before: Option<TaskId>) -> i64 {
    before.map_or(i64::MAX, |id| i64::from(id.0))
}

/// Stores a task.
const PUT: &str = "
    INSERT INTO tasks (room_id, number, title, state, assignee, scopes, created_by, created_at_ms, updated_at_ms,
                       definition_of_done, verification)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
        ON CONFLICT (room_id, number) DO UPDATE
       SET state = excluded.state, assignee = excluded.assignee, scopes = excluded.scopes,
           updated_at_ms = excluded.updated_at_ms
";

/// Stores a task, new or changed.
pub fn put(tx: &mut dyn Tx, room: &RoomId, task: &Task) -> Result<(), StoreError> {
    let json = |list: &Vec<String>| serde_json::to_string(list).map_err(|error| bad("tasks", room.as_str(), error));
    let (scopes, verification) = (json(&task.scopes)?, json(&task.verification)?);
    tx.execute(
        PUT,
        &[
            room.as_str().into(),
            i64::from(task.id.0).into(),
            task.title.as_str().into(),
            task.state.as_str().into(),
            task.assignee.as_ref().map(AgentId::as_str).into(),
            scopes.as_str().into(),
            task.created_by.as_str().into(),
            task.created_at.as_millis().into(),
            task.updated_at.as_millis().into(),
            task.definition_of_done.as_deref().into(),
            verification.as_str().into(),
        ],
        Changes::One("tasks"),
    )
}

fn collect(tx: &mut dyn Tx, sql: &'static str, room: &RoomId, params: &[Param<'_>]) -> Result<Vec<Task>, StoreError> {
    let mut found = Vec::new();
    tx.query(sql, params, &mut |row| {
        found.push(task(room, row)?);
        Ok(())
    })?;
    Ok(found)
}

fn task(room: &RoomId, row: &dyn Row) -> Result<Task, StoreError> {
    let fields = Fields { table: "tasks", key: room.as_str(), row };
    Ok(Task {
        id: TaskId(fields.number(0)?.try_into().map_err(|_| fields.bad("has a number that is none"))?),
        title: fields.text(1)?.to_owned(),
        state: fields.word(2)?,
        assignee: fields.optional(3)?,
        scopes: serde_json::from_str(fields.text(4)?).map_err(|error| fields.bad(error))?,
        created_by: fields.id(5)?,
        created_at: fields.time(6)?,
        updated_at: fields.time(7)?,
        definition_of_done: row.text(8)?.map(str::to_owned),
        verification: serde_json::from_str(fields.text(9)?).map_err(|error| fields.bad(error))?,
    })
}
