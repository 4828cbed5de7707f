//! The bus of a room: actions and how far they are, conversations, their tasks, and who is connected.

use baton_core::{
    bus::{self, Action, Bus, BusId, Connection, Conversation, StreamEnd, Task},
    ids::{AgentId, RoomId, Seq},
    limits,
};

use crate::{
    StoreError,
    engine::{Changes, Param, Row, Tx},
    fields::{Fields, number},
};

/// An action as [`action`] reads it, from the rows that are meant.
macro_rules! actions {
    ($which:literal) => {
        concat!(
            "
    SELECT seq, group_id, action_id, action_index, sender, target, control, kind, context_id, owner, depth, status,
           detail, new_context_id, new_task_id, submitted_at_ms, ended_at_ms
      FROM actions",
            $which
        )
    };
}

/// Reads one action by its name.
pub(crate) const BY_ID: &str = actions!(
    "
     WHERE room_id = ?1 AND action_id = ?2
"
);

/// The action of that name.
pub fn action_by_id(tx: &mut dyn Tx, room: &RoomId, id: &BusId) -> Result<Option<Action>, StoreError> {
    let found = collect(tx, BY_ID, room, &[room.as_str().into(), id.as_str().into()], action)?;
    Ok(found.into_iter().next())
}

/// Lists what a target still owes a result for, oldest first.
pub(crate) const OPEN: &str = actions!(
    "
     WHERE room_id = ?1 AND target = ?2 AND seq > ?3 AND ended_at_ms IS NULL
     ORDER BY seq
     LIMIT ?4
"
);

/// What `target` still owes a result for, after a place, oldest first.
pub fn open_of(
    tx: &mut dyn Tx,
    room: &RoomId,
    target: &AgentId,
    after: Seq,
    limit: u32,
) -> Result<Vec<Action>, StoreError> {
    let params = [room.as_str().into(), target.as_str().into(), place(after).into(), i64::from(limit).into()];
    collect(tx, OPEN, room, &params, action)
}

/// Lists who still owes results.
pub(crate) const TARGETS: &str = "
    SELECT DISTINCT target
      FROM actions
     WHERE room_id = ?1 AND ended_at_ms IS NULL
     ORDER BY target
";

/// The agents that still owe results.
pub fn owing(tx: &mut dyn Tx, room: &RoomId) -> Result<Vec<AgentId>, StoreError> {
    collect(tx, TARGETS, room, &[room.as_str().into()], |fields| fields.id(0))
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

/// Which actions are meant.
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

pub(crate) const OF_GROUP: &str = actions!(
    "
     WHERE room_id = ?1 AND group_id = ?4 AND seq > ?2
     ORDER BY seq
     LIMIT ?3
"
);
pub(crate) const OF_TARGET: &str = actions!(
    "
     WHERE room_id = ?1 AND target = ?4 AND seq > ?2
     ORDER BY seq
     LIMIT ?3
"
);
pub(crate) const OF_SENDER: &str = actions!(
    "
     WHERE room_id = ?1 AND sender = ?4 AND seq > ?2
     ORDER BY seq
     LIMIT ?3
"
);
pub(crate) const AFTER: &str = actions!(
    "
     WHERE room_id = ?1 AND seq > ?2
     ORDER BY seq
     LIMIT ?3
"
);

/// Actions after a place, oldest first.
pub fn actions(
    tx: &mut dyn Tx,
    room: &RoomId,
    which: Which<'_>,
    after: Seq,
    limit: u32,
) -> Result<Vec<Action>, StoreError> {
    let common = [room.as_str().into(), place(after).into(), i64::from(limit).into()];
    let (sql, of): (_, Option<Param<'_>>) = match which {
        Which::Group(group) => (OF_GROUP, Some(group.as_str().into())),
        Which::Target(agent) => (OF_TARGET, Some(agent.as_str().into())),
        Which::Sender(agent) => (OF_SENDER, Some(agent.as_str().into())),
        Which::All => (AFTER, None),
    };
    let params: Vec<Param<'_>> = common.into_iter().chain(of).collect();
    collect(tx, sql, room, &params, action)
}

/// Reads the last `new`s of a group for a target before a place, newest first.
pub(crate) const LAST_NEW: &str = actions!(
    "
     WHERE room_id = ?1 AND group_id = ?2 AND seq < ?3 AND target = ?4 AND sender = ?5 AND control = 'new'
     ORDER BY seq DESC
     LIMIT ?6
"
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
    let before = |place: Seq| -> [Param<'_>; 5] {
        [
            room.as_str().into(),
            action.group_id.as_str().into(),
            self::place(place).into(),
            action.target.as_str().into(),
            action.sender.as_str().into(),
        ]
    };
    let newest = |place: Seq, most: u32| before(place).into_iter().chain([i64::from(most).into()]).collect::<Vec<_>>();
    let Some(last) = collect(tx, LAST_NEW, room, &newest(action.seq, 1), self::action)?.into_iter().next() else {
        return Ok(None);
    };
    let between = collect(tx, LAST_OTHER, room, &before(last.seq), |fields| fields.number(0))?;
    let from = Seq(between.first().copied().unwrap_or_default());
    let mut news = collect(tx, LAST_NEW, room, &newest(action.seq, limits::BUS_ACTIONS as u32), self::action)?;
    news.retain(|new| new.seq > from);
    news.reverse();
    Ok(bus::begun_by(&news).cloned())
}

/// Reads one conversation.
pub(crate) const CONVERSATION: &str = "
    SELECT context_id, owner, task_id, since
      FROM conversations
     WHERE room_id = ?1 AND context_id = ?2
";

/// The conversation of that name.
pub fn conversation(tx: &mut dyn Tx, room: &RoomId, id: &BusId) -> Result<Option<Conversation>, StoreError> {
    let params = [room.as_str().into(), id.as_str().into()];
    Ok(collect(tx, CONVERSATION, room, &params, conversation_of)?.into_iter().next())
}

/// Reads the conversations about a task. Only tasks that nobody spoke of otherwise are looked for.
pub(crate) const OF_TASK: &str = "
    SELECT context_id, owner, task_id, since
      FROM conversations
     WHERE room_id = ?1 AND task_id = ?2
     ORDER BY context_id
";

/// The first conversation that was about a task.
pub fn conversation_of_task(tx: &mut dyn Tx, room: &RoomId, task: &BusId) -> Result<Option<Conversation>, StoreError> {
    let params = [room.as_str().into(), task.as_str().into()];
    let found = collect(tx, OF_TASK, room, &params, conversation_of)?;
    Ok(found.into_iter().min_by_key(|conversation| conversation.since))
}

/// Reads one task of a conversation.
pub(crate) const TASK: &str = "
    SELECT task_id, context_id, status, reported_by, seq
      FROM conversation_tasks
     WHERE room_id = ?1 AND task_id = ?2
";

/// The task of that name.
pub fn task(tx: &mut dyn Tx, room: &RoomId, id: &BusId) -> Result<Option<Task>, StoreError> {
    let params = [room.as_str().into(), id.as_str().into()];
    Ok(collect(tx, TASK, room, &params, task_of)?.into_iter().next())
}

/// Lists the streams of members' runtimes.
pub(crate) const CONNECTIONS: &str = "
    SELECT agent_id, server, since_ms, ended_at_ms, ended_as, ended_why
      FROM connections
     WHERE room_id = ?1
     ORDER BY agent_id
";

/// The streams of members' runtimes, also those that ended.
pub fn connections(tx: &mut dyn Tx, room: &RoomId) -> Result<Vec<Connection>, StoreError> {
    collect(tx, CONNECTIONS, room, &[room.as_str().into()], connection_of)
}

const ALL_ACTIONS: &str = actions!(
    "
     WHERE room_id = ?1
     ORDER BY seq
"
);
const ALL_CONVERSATIONS: &str = "
    SELECT context_id, owner, task_id, since
      FROM conversations
     WHERE room_id = ?1
     ORDER BY context_id
";
const ALL_TASKS: &str = "
    SELECT task_id, context_id, status, reported_by, seq
      FROM conversation_tasks
     WHERE room_id = ?1
     ORDER BY task_id
";

/// All of a room's bus, for a check of it.
pub fn all(tx: &mut dyn Tx, room: &RoomId) -> Result<Bus, StoreError> {
    let params = [room.as_str().into()];
    Ok(Bus {
        actions: collect(tx, ALL_ACTIONS, room, &params, action)?,
        conversations: collect(tx, ALL_CONVERSATIONS, room, &params, conversation_of)?,
        tasks: collect(tx, ALL_TASKS, room, &params, task_of)?,
        connections: connections(tx, room)?,
    })
}

const PUT_ACTION: &str = "
    INSERT INTO actions (room_id, seq, group_id, action_id, action_index, sender, target, control, kind, context_id,
                         owner, depth, status, detail, new_context_id, new_task_id, submitted_at_ms, ended_at_ms)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)
        ON CONFLICT (room_id, seq) DO UPDATE
       SET target = excluded.target, status = excluded.status, detail = excluded.detail,
           new_context_id = excluded.new_context_id, new_task_id = excluded.new_task_id,
           ended_at_ms = excluded.ended_at_ms
";
const PUT_CONVERSATION: &str = "
    INSERT INTO conversations (room_id, context_id, owner, task_id, since)
    VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (room_id, context_id) DO UPDATE
       SET owner = excluded.owner, task_id = excluded.task_id, since = excluded.since
";
const PUT_TASK: &str = "
    INSERT INTO conversation_tasks (room_id, task_id, context_id, status, reported_by, seq)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT (room_id, task_id) DO UPDATE
       SET context_id = excluded.context_id, status = excluded.status, reported_by = excluded.reported_by,
           seq = excluded.seq
";
const PUT_CONNECTION: &str = "
    INSERT INTO connections (room_id, agent_id, server, since_ms, ended_at_ms, ended_as, ended_why)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        ON CONFLICT (room_id, agent_id) DO UPDATE
       SET server = excluded.server, since_ms = excluded.since_ms, ended_at_ms = excluded.ended_at_ms,
           ended_as = excluded.ended_as, ended_why = excluded.ended_why
";
const REMOVE_CONNECTION: &str = "
    DELETE FROM connections
     WHERE room_id = ?1 AND agent_id = ?2
";

/// Stores what is different in `after`, and what is new. Of what happened only connections end.
pub fn save(tx: &mut dyn Tx, room: &RoomId, before: &Bus, after: &Bus) -> Result<(), StoreError> {
    let mut known = before.actions.iter().peekable();
    for action in &after.actions {
        while known.next_if(|old| old.seq < action.seq).is_some() {}
        if known.peek() != Some(&action) {
            put_action(tx, room, action)?;
        }
    }
    for conversation in after.conversations.iter().filter(|new| !before.conversations.contains(new)) {
        put_conversation(tx, room, conversation)?;
    }
    for task in after.tasks.iter().filter(|new| !before.tasks.contains(new)) {
        put_task(tx, room, task)?;
    }
    for connection in after.connections.iter().filter(|new| !before.connections.contains(new)) {
        put_connection(tx, room, connection)?;
    }
    let gone = |old: &&Connection| after.connections.iter().all(|new| new.agent_id != old.agent_id);
    for connection in before.connections.iter().filter(gone) {
        let params = [room.as_str().into(), connection.agent_id.as_str().into()];
        tx.execute(REMOVE_CONNECTION, &params, Changes::Any)?;
    }
    Ok(())
}

fn put_action(tx: &mut dyn Tx, room: &RoomId, action: &Action) -> Result<(), StoreError> {
    tx.execute(
        PUT_ACTION,
        &[
            room.as_str().into(),
            number(action.seq.0).into(),
            action.group_id.as_str().into(),
            action.action_id.as_str().into(),
            i64::from(action.action_index).into(),
            action.sender.as_str().into(),
            action.target.as_str().into(),
            action.control.map(|control| control.as_str()).into(),
            action.kind.map(|kind| kind.as_str()).into(),
            action.context_id.as_str().into(),
            action.owner.as_str().into(),
            i64::from(action.depth).into(),
            action.status.map(|status| status.as_str()).into(),
            action.detail.as_deref().into(),
            action.new_context_id.as_ref().map(BusId::as_str).into(),
            action.new_task_id.as_ref().map(BusId::as_str).into(),
            action.submitted_at.as_millis().into(),
            action.ended_at.map(|at| at.as_millis()).into(),
        ],
        Changes::One("actions"),
    )
}

fn put_conversation(tx: &mut dyn Tx, room: &RoomId, conversation: &Conversation) -> Result<(), StoreError> {
    let params = [
        room.as_str().into(),
        conversation.context_id.as_str().into(),
        conversation.owner.as_str().into(),
        conversation.task_id.as_ref().map(BusId::as_str).into(),
        number(conversation.since.0).into(),
    ];
    tx.execute(PUT_CONVERSATION, &params, Changes::One("conversations"))
}

fn put_task(tx: &mut dyn Tx, room: &RoomId, task: &Task) -> Result<(), StoreError> {
    let params = [
        room.as_str().into(),
        task.task_id.as_str().into(),
        task.context_id.as_ref().map(BusId::as_str).into(),
        task.status.as_str().into(),
        task.reported_by.as_str().into(),
        number(task.seq.0).into(),
    ];
    tx.execute(PUT_TASK, &params, Changes::One("conversation_tasks"))
}

fn put_connection(tx: &mut dyn Tx, room: &RoomId, connection: &Connection) -> Result<(), StoreError> {
    let server = connection.server.as_ref().map(serde_json::to_string).transpose();
    let server = server.map_err(|error| crate::fields::bad("connections", room.as_str(), error))?;
    let params = [
        room.as_str().into(),
        connection.agent_id.as_str().into(),
        server.as_deref().into(),
        connection.since.as_millis().into(),
        connection.ended.as_ref().map(|ended| ended.at.as_millis()).into(),
        connection.ended.as_ref().map(|ended| ended.state.as_str()).into(),
        connection.ended.as_ref().map(|ended| ended.why.as_str()).into(),
    ];
    tx.execute(PUT_CONNECTION, &params, Changes::One("connections"))
}

/// A place that a caller names. None is beyond the largest number.
fn place(seq: Seq) -> i64 {
    seq.0.try_into().unwrap_or(i64::MAX)
}

fn collect<T>(
    tx: &mut dyn Tx,
    sql: &'static str,
    room: &RoomId,
    params: &[Param<'_>],
    read: impl Fn(&Fields<'_>) -> Result<T, StoreError>,
) -> Result<Vec<T>, StoreError> {
    let mut found = Vec::new();
    tx.query(sql, params, &mut |row: &dyn Row| {
        found.push(read(&Fields { table: "the bus", key: room.as_str(), row })?);
        Ok(())
    })?;
    Ok(found)
}

fn action(fields: &Fields<'_>) -> Result<Action, StoreError> {
    Ok(Action {
        seq: Seq(fields.number(0)?),
        group_id: fields.id(1)?,
        action_id: fields.id(2)?,
        action_index: u32::try_from(fields.number(3)?).map_err(|error| fields.bad(error))?,
        sender: fields.id(4)?,
        target: fields.id(5)?,
        control: fields.optional_word(6)?,
        kind: fields.optional_word(7)?,
        context_id: fields.id(8)?,
        owner: fields.id(9)?,
        depth: u32::try_from(fields.number(10)?).map_err(|error| fields.bad(error))?,
        status: fields.optional_word(11)?,
        detail: fields.row.text(12)?.map(str::to_owned),
        new_context_id: fields.optional(13)?,
        new_task_id: fields.optional(14)?,
        submitted_at: fields.time(15)?,
        ended_at: fields.optional_time(16)?,
    })
}

fn conversation_of(fields: &Fields<'_>) -> Result<Conversation, StoreError> {
    Ok(Conversation {
        context_id: fields.id(0)?,
        owner: fields.id(1)?,
        task_id: fields.optional(2)?,
        since: Seq(fields.number(3)?),
    })
}

fn task_of(fields: &Fields<'_>) -> Result<Task, StoreError> {
    Ok(Task {
        task_id: fields.id(0)?,
        context_id: fields.optional(1)?,
        status: fields.word(2)?,
        reported_by: fields.id(3)?,
        seq: Seq(fields.number(4)?),
    })
}

pub(crate) fn connection_of(fields: &Fields<'_>) -> Result<Connection, StoreError> {
    let server = fields.row.text(1)?.map(serde_json::from_str).transpose().map_err(|error| fields.bad(error))?;
    let ended = match fields.optional_time(3)? {
        Some(at) => Some(StreamEnd { at, state: fields.word(4)?, why: fields.text(5)?.to_owned() }),
        None => None,
    };
    Ok(Connection { agent_id: fields.id(0)?, server, since: fields.time(2)?, ended })
}
