//! Tasks.

use baton_core::{
    ids::{AgentId, RoomId},
    task::{Focus, State, Task, TaskId},
};

use crate::{
    StoreError,
    engine::Tx,
    question::{next_number, questions},
    table::table,
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

const LAST: &str = "SELECT number FROM tasks WHERE room_id = ?1 ORDER BY number DESC LIMIT 1";

/// The number that the next task of a room gets. The room must be locked.
pub fn next_id(tx: &mut dyn Tx, room: &RoomId) -> Result<TaskId, StoreError> {
    next_number(tx, ("tasks", LAST), room).map(TaskId)
}

questions! {
    /// Tasks of one state before a number, newest first.
    pub fn in_state(state: State, before: Option<TaskId>, limit: u32) -> Vec<Task> = IN_STATE: "
        WHERE room_id = ?1 AND state = ?2 AND number < ?3
        ORDER BY number DESC
        LIMIT ?4
    ";

    /// Tasks in progress of an agent: the one that it began or was given last comes first.
    pub fn in_progress_of(agent: &AgentId) -> Vec<Task> = IN_PROGRESS_OF: "
        WHERE room_id = ?1 AND state = 'in_progress' AND assignee = ?2
        ORDER BY updated_at_ms DESC, number DESC
    ";

    /// Tasks assigned to an agent and not done, the oldest first.
    pub fn unfinished_of(agent: &AgentId) -> Vec<Task> = UNFINISHED_OF: "
        WHERE room_id = ?1 AND state IN ('open', 'in_progress') AND assignee = ?2
        ORDER BY number
    ";

    /// The newest tasks of a room before a number.
    pub fn newest(before: Option<TaskId>, limit: u32) -> Vec<Task> = NEWEST: "
        WHERE room_id = ?1 AND number < ?2
        ORDER BY number DESC
        LIMIT ?3
    ";
}
