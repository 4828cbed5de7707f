//! The bus of a room: actions and how far they are, conversations, their tasks, and who is connected.

use baton_core::{
    bus::{self, Action, BusId, Connection, Conversation, StreamEnd, Task},
    ids::{AgentId, RoomId, Seq},
    limits,
};

use crate::{
    StoreError,
    column::Empty,
    engine::{Row, Tx},
    fields::{Fields, collect},
    question::{list, number, questions},
    sql::select,
    table::table,
};

table! {
    "actions": Action |action| {
        key |event| { seq = event }
        once {
            group_id = action.group_id,
            action_id = action.action_id,
            action_index = action.action_index,
            sender = action.sender,
            control = action.control,
            kind = action.kind,
            context_id = action.context_id,
            owner = action.owner,
            depth = action.depth,
            submitted_at_ms = action.submitted_at,
        }
        changes {
            target = action.target,
            status = action.status,
            detail = action.detail,
            new_context_id = action.new_context_id,
            new_task_id = action.new_task_id,
            ended_at_ms = action.ended_at,
        }
    }
    current "ended_at_ms IS NULL"
    read Self {
        seq,
        group_id,
        action_id,
        action_index,
        sender,
        target,
        control,
        kind,
        context_id,
        owner,
        depth,
        status,
        detail,
        new_context_id,
        new_task_id,
        submitted_at: submitted_at_ms,
        ended_at: ended_at_ms,
    }
}

table! {
    "conversations": Conversation |conversation| {
        key |id| { context_id = id }
        once {}
        changes { owner = conversation.owner, task_id = conversation.task_id, since = conversation.since }
    }
    read Self { context_id, owner, task_id, since }
}

table! {
    "conversation_tasks": Task |task| {
        key |id| { task_id = id }
        once {}
        changes {
            context_id = task.context_id,
            status = task.status,
            reported_by = task.reported_by,
            seq = task.seq,
        }
    }
    read Self { task_id, context_id, status, reported_by, seq }
}

table! {
    "connections": Connection |connection| {
        key |agent| { agent_id = agent }
        once {}
        changes {
            server = connection.server,
            since_ms = connection.since,
            ended_at_ms = connection.ended.as_ref().map(|ended| ended.at),
            ended_as = connection.ended.as_ref().map(|ended| ended.state),
            ended_why = connection.ended.as_ref().map(|ended| &ended.why),
        }
    }
    read Self {
        agent_id,
        server,
        since: since_ms,
        ended: match ended_at_ms {
            Some(at) => Some(StreamEnd {
                at,
                state: Option::ok_or(ended_as, Empty("ended_as"))?,
                why: Option::ok_or(ended_why, Empty("ended_why"))?,
            }),
            None => None,
        },
    }
}

questions! {
    /// The action of that name.
    pub fn action_by_id(id: &BusId) -> Option<Action> = BY_ID: "
        WHERE room_id = ?1 AND action_id = ?2
    ";

    /// Actions that `target` still owes a result for, after a place, oldest first.
    pub fn open_of(target: &AgentId, after: Seq, limit: u32) -> Vec<Action> = OPEN: "
        WHERE room_id = ?1 AND target = ?2 AND seq > ?3 AND ended_at_ms IS NULL
        ORDER BY seq
        LIMIT ?4
    ";

    /// The streams of members' runtimes, also those that ended.
    pub fn connections() -> Vec<Connection> = CONNECTIONS: "
        WHERE room_id = ?1
        ORDER BY agent_id
    ";
}

pub(crate) const TARGETS: &str = "
    SELECT DISTINCT target
      FROM actions
     WHERE room_id = ?1 AND ended_at_ms IS NULL
     ORDER BY target
";

/// The agents that still owe results.
pub fn owing(tx: &mut dyn Tx, room: &RoomId) -> Result<Vec<AgentId>, StoreError> {
    collect(tx, TARGETS, room, &[room.as_str().into()], |room, row| {
        Fields { table: "actions", key: room.as_str(), row }.id(0)
    })
}

/// Lists open rooms with members that are processes, and rooms in which the result of an action or the end of a turn is owed.
pub(crate) const ROOMS_WATCHED: &str = "
    SELECT room_id FROM actions WHERE ended_at_ms IS NULL
     UNION
    SELECT room_id FROM turns WHERE ended_at_ms IS NULL AND job IS NULL
     UNION
    SELECT rooms.room_id
      FROM members JOIN rooms ON rooms.room_id = members.room_id
     WHERE members.pid IS NOT NULL AND rooms.state <> 'closed'
     ORDER BY room_id
     LIMIT ?1
";

/// The rooms in which somebody's death would be news, at most so many.
pub fn rooms_watched(tx: &mut dyn Tx, limit: u32) -> Result<Vec<RoomId>, StoreError> {
    let mut found = Vec::new();
    tx.query(ROOMS_WATCHED, &[i64::from(limit).into()], &mut |row: &dyn Row| {
        found.push(Fields { table: "the bus", key: "all rooms", row }.id(0)?);
        Ok(())
    })?;
    Ok(found)
}

/// A choice of actions.
#[derive(Clone, Copy, Debug)]
pub enum Which<'a> {
    /// Those of a group.
    Group(&'a BusId),
    /// Those for an agent.
    Target(&'a AgentId),
    /// Those from an agent.
    Sender(&'a AgentId),
    /// All.
    All,
}

/// Reads actions after a place, oldest first.
macro_rules! actions_after {
    ($($condition:literal)?) => {
        select!(Action, concat!("WHERE room_id = ?1 AND seq > ?2", $(" AND ", $condition,)? " ORDER BY seq LIMIT ?3"))
    };
}

pub(crate) const OF_GROUP: &str = actions_after!("group_id = ?4");
pub(crate) const OF_TARGET: &str = actions_after!("target = ?4");
pub(crate) const OF_SENDER: &str = actions_after!("sender = ?4");
pub(crate) const AFTER: &str = actions_after!();

/// Actions after a place, oldest first.
pub fn actions(
    tx: &mut dyn Tx,
    room: &RoomId,
    which: Which<'_>,
    after: Seq,
    limit: u32,
) -> Result<Vec<Action>, StoreError> {
    match which {
        Which::Group(group) => list(tx, OF_GROUP, room, &[&after, &limit, &group]),
        Which::Target(agent) => list(tx, OF_TARGET, room, &[&after, &limit, &agent]),
        Which::Sender(agent) => list(tx, OF_SENDER, room, &[&after, &limit, &agent]),
        Which::All => list(tx, AFTER, room, &[&after, &limit]),
    }
}

/// Reads the last `new`s of a group for a target before a place, newest first.
pub(crate) const LAST_NEW: &str = select!(
    Action,
    "WHERE room_id = ?1 AND group_id = ?2 AND seq < ?3 AND target = ?4 AND sender = ?5 AND control = 'new'
     ORDER BY seq DESC
     LIMIT ?6"
);

/// Reads the last of a group for a target before a place that is no `new`. Put together, the names are looked for in no
/// index: a group is short, and all that its sender ever sent is not.
pub(crate) const LAST_OTHER: &str = "
    SELECT seq
      FROM actions
     WHERE room_id = ?1 AND group_id = ?2 AND seq < ?3 AND target || '' = ?4 AND sender || '' = ?5
       AND (control IS NULL OR control <> 'new')
     ORDER BY seq DESC
     LIMIT 1
";

/// The `new` that begins the conversation of `action`, of those that were submitted to its target in its group before it.
pub fn begun_by(tx: &mut dyn Tx, room: &RoomId, action: &Action) -> Result<Option<Action>, StoreError> {
    let Action { group_id, target, sender, .. } = action;
    let newest = |tx: &mut dyn Tx, before: Seq, most: u32| -> Result<Vec<Action>, StoreError> {
        list(tx, LAST_NEW, room, &[group_id, &before, target, sender, &most])
    };
    let Some(last) = newest(tx, action.seq, 1)?.pop() else {
        return Ok(None);
    };
    let from = Seq(number(tx, ("actions", LAST_OTHER), room, &[group_id, &last.seq, target, sender])?);
    let mut news = newest(tx, action.seq, limits::BUS_ACTIONS as u32)?;
    news.retain(|new| new.seq > from);
    news.reverse();
    Ok(bus::begun_by(&news).cloned())
}

/// Reads the conversations about a task. Only tasks that nobody spoke of otherwise are looked for.
pub(crate) const OF_TASK: &str = select!(
    Conversation,
    "WHERE room_id = ?1 AND task_id = ?2
     ORDER BY context_id"
);

/// The first conversation that was about a task.
pub fn conversation_of_task(tx: &mut dyn Tx, room: &RoomId, task: &BusId) -> Result<Option<Conversation>, StoreError> {
    let found: Vec<Conversation> = list(tx, OF_TASK, room, &[&task])?;
    Ok(found.into_iter().min_by_key(|conversation| conversation.since))
}
