//! Inboxes: one row per message and recipient. What a message says is in the log.

use baton_core::{
    ids::{AgentId, RoomId, Seq},
    inbox::{Item, Stage},
    turn::TurnId,
};

use crate::{
    StoreError,
    engine::{Row, Tx},
    fields::number,
    sql::select,
    table::{list, table},
};

table! {
    "inbox": Item |item| {
        key |(seq, agent)| { message = seq, recipient = agent }
        once {
            sender = item.sender,
            category = item.category,
            requires_ack = item.requires_ack,
            wakes = item.wakes,
            queued_at_ms = item.queued_at,
            interrupts = item.interrupts,
        }
        changes {
            delivered_at_ms = item.delivered_at,
            seen_at_ms = item.seen_at,
            accepted_at_ms = item.accepted_at,
            turn = item.turn,
            note = item.note,
        }
    }
    current "(seen_at_ms IS NULL OR (requires_ack = 1 AND accepted_at_ms IS NULL))"
    read Self {
        message,
        recipient,
        sender,
        category,
        requires_ack,
        wakes,
        interrupts,
        turn,
        queued_at: queued_at_ms,
        delivered_at: delivered_at_ms,
        seen_at: seen_at_ms,
        accepted_at: accepted_at_ms,
        note,
    }
}

/// Lists what an agent has to see or to accept, oldest first.
pub(crate) const PENDING: &str = select!(
    Item,
    "
     WHERE room_id = ?1 AND recipient = ?2 AND message > ?3
       AND (seen_at_ms IS NULL OR (requires_ack = 1 AND accepted_at_ms IS NULL))
     ORDER BY message
     LIMIT ?4
"
);

/// What `agent` has not seen, or has to accept and has not: oldest first, after a message.
pub fn pending(
    tx: &mut dyn Tx,
    room: &RoomId,
    agent: &AgentId,
    after: Seq,
    limit: u32,
) -> Result<Vec<Item>, StoreError> {
    let params = [room.as_str().into(), agent.as_str().into(), place(after).into(), i64::from(limit).into()];
    list(tx, PENDING, room, &params)
}

/// Lists what a turn of an agent takes: interrupts first, then in the order of the log.
pub(crate) const UNTAKEN: &str = select!(
    Item,
    "
     WHERE room_id = ?1 AND recipient = ?2 AND turn IS NULL AND category <> 'CONTROL'
       AND (seen_at_ms IS NULL OR (requires_ack = 1 AND accepted_at_ms IS NULL))
     ORDER BY interrupts DESC, message
     LIMIT ?3
"
);

/// What waits for a turn of `agent`: interrupts first, then oldest first.
pub fn untaken(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId, limit: u32) -> Result<Vec<Item>, StoreError> {
    list(tx, UNTAKEN, room, &[room.as_str().into(), agent.as_str().into(), i64::from(limit).into()])
}

/// Lists what a turn has.
pub(crate) const OF_TURN: &str = select!(
    Item,
    "
     WHERE room_id = ?1 AND turn = ?2
     ORDER BY message
"
);

/// What a turn has, oldest first.
pub fn of_turn(tx: &mut dyn Tx, room: &RoomId, turn: TurnId) -> Result<Vec<Item>, StoreError> {
    list(tx, OF_TURN, room, &[room.as_str().into(), i64::from(turn.0).into()])
}

/// Lists what an agent is interrupted for and has not seen.
pub(crate) const INTERRUPTS: &str = select!(
    Item,
    "
     WHERE room_id = ?1 AND recipient = ?2 AND interrupts = 1 AND seen_at_ms IS NULL
     ORDER BY message
"
);

/// What `agent` is interrupted for and has not seen, oldest first.
pub fn interrupts(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId) -> Result<Vec<Item>, StoreError> {
    list(tx, INTERRUPTS, room, &[room.as_str().into(), agent.as_str().into()])
}

/// Tells whether an agent is interrupted for something that it has not seen.
pub(crate) const INTERRUPTED: &str = "
    SELECT 1
      FROM inbox
     WHERE room_id = ?1 AND recipient = ?2 AND interrupts = 1 AND seen_at_ms IS NULL
     LIMIT 1
";

/// Whether `agent` is interrupted for something that it has not seen.
pub fn is_interrupted(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId) -> Result<bool, StoreError> {
    let mut found = false;
    tx.query(INTERRUPTED, &[room.as_str().into(), agent.as_str().into()], &mut |_| {
        found = true;
        Ok(())
    })?;
    Ok(found)
}

/// Lists what of the bus an agent was not told of, oldest first.
pub(crate) const UNDELIVERED: &str = select!(
    Item,
    "
     WHERE room_id = ?1 AND recipient = ?2 AND seen_at_ms IS NULL AND delivered_at_ms IS NULL
       AND category IN ('MESSAGE', 'CONTROL')
     ORDER BY message
     LIMIT ?3
"
);

/// The actions and messages of the bus that `agent` was not told of, oldest first.
pub fn undelivered(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId, limit: u32) -> Result<Vec<Item>, StoreError> {
    list(tx, UNDELIVERED, room, &[room.as_str().into(), agent.as_str().into(), i64::from(limit).into()])
}

/// Lists an agent's items, oldest first.
const OF: &str = select!(
    Item,
    "
     WHERE room_id = ?1 AND recipient = ?2 AND message > ?3
     ORDER BY message
     LIMIT ?4
"
);

/// All of `agent`'s items after a message, oldest first.
pub fn of(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId, after: Seq, limit: u32) -> Result<Vec<Item>, StoreError> {
    let params = [room.as_str().into(), agent.as_str().into(), place(after).into(), i64::from(limit).into()];
    list(tx, OF, room, &params)
}

/// Lists an agent's items, newest first.
pub(crate) const NEWEST: &str = select!(
    Item,
    "
     WHERE room_id = ?1 AND recipient = ?2 AND message < ?3
     ORDER BY message DESC
     LIMIT ?4
"
);

/// All of `agent`'s items before a message, newest first.
pub fn newest(
    tx: &mut dyn Tx,
    room: &RoomId,
    agent: &AgentId,
    before: Option<Seq>,
    limit: u32,
) -> Result<Vec<Item>, StoreError> {
    let before = before.map_or(i64::MAX, place);
    let params = [room.as_str().into(), agent.as_str().into(), before.into(), i64::from(limit).into()];
    list(tx, NEWEST, room, &params)
}

/// Lists an agent's items on one rung of the ladder, oldest first.
const AT: &str = select!(
    Item,
    "
     WHERE room_id = ?1 AND recipient = ?2 AND message > ?3
       AND CASE WHEN accepted_at_ms IS NOT NULL THEN 'accepted'
                WHEN seen_at_ms IS NOT NULL THEN 'seen'
                WHEN delivered_at_ms IS NOT NULL THEN 'delivered'
                ELSE 'queued' END = ?4
     ORDER BY message
     LIMIT ?5
"
);

/// `agent`'s items on one rung of the ladder after a message, oldest first.
pub fn at(
    tx: &mut dyn Tx,
    room: &RoomId,
    agent: &AgentId,
    stage: Stage,
    after: Seq,
    limit: u32,
) -> Result<Vec<Item>, StoreError> {
    let (room_text, agent, after) = (room.as_str(), agent.as_str(), place(after));
    let params = [room_text.into(), agent.into(), after.into(), stage.as_str().into(), i64::from(limit).into()];
    list(tx, AT, room, &params)
}

/// Lists what an agent sent, newest message first.
const SENT: &str = select!(
    Item,
    "
     WHERE room_id = ?1 AND sender = ?2 AND message < ?3
     ORDER BY message DESC, recipient
     LIMIT ?4
"
);

/// What became of what `agent` sent: newest first.
pub fn sent(
    tx: &mut dyn Tx,
    room: &RoomId,
    agent: &AgentId,
    before: Option<Seq>,
    limit: u32,
) -> Result<Vec<Item>, StoreError> {
    by_sender(tx, SENT, room, agent, before, limit)
}

/// Lists what an agent sent and somebody still has to accept.
const UNANSWERED: &str = select!(
    Item,
    "
     WHERE room_id = ?1 AND sender = ?2 AND message < ?3 AND requires_ack = 1 AND accepted_at_ms IS NULL
     ORDER BY message DESC, recipient
     LIMIT ?4
"
);

/// What `agent` sent and somebody still has to accept: newest first.
pub fn unanswered(
    tx: &mut dyn Tx,
    room: &RoomId,
    agent: &AgentId,
    before: Option<Seq>,
    limit: u32,
) -> Result<Vec<Item>, StoreError> {
    by_sender(tx, UNANSWERED, room, agent, before, limit)
}

/// What a statement about a sender finds before a message.
fn by_sender(
    tx: &mut dyn Tx,
    sql: &'static str,
    room: &RoomId,
    agent: &AgentId,
    before: Option<Seq>,
    limit: u32,
) -> Result<Vec<Item>, StoreError> {
    let before = before.map_or(i64::MAX, |seq| seq.0.try_into().unwrap_or(i64::MAX));
    list(tx, sql, room, &[room.as_str().into(), agent.as_str().into(), before.into(), i64::from(limit).into()])
}

/// Lists those of an agent's items that another agent has to see or to accept too.
pub(crate) const SHARED: &str = select!(
    Item,
    "
     WHERE room_id = ?1 AND recipient = ?2
       AND message IN (SELECT message
                         FROM inbox
                        WHERE room_id = ?1 AND recipient = ?3
                          AND (seen_at_ms IS NULL OR (requires_ack = 1 AND accepted_at_ms IS NULL)))
     ORDER BY message
"
);

/// `agent`'s items of messages that are pending for `other` too.
pub fn shared(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId, other: &AgentId) -> Result<Vec<Item>, StoreError> {
    list(tx, SHARED, room, &[room.as_str().into(), agent.as_str().into(), other.as_str().into()])
}

/// Lists one message's items.
pub(crate) const OF_MESSAGE: &str = select!(
    Item,
    "
     WHERE room_id = ?1 AND message = ?2
     ORDER BY recipient
"
);

/// The items of one message.
pub fn of_message(tx: &mut dyn Tx, room: &RoomId, message: Seq) -> Result<Vec<Item>, StoreError> {
    list(tx, OF_MESSAGE, room, &[room.as_str().into(), number(message.0).into()])
}

/// How much waits for an agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Items it has not seen.
    pub unseen: u64,
    /// Items it has to accept and has not.
    pub to_accept: u64,
    /// The newest item it was not told of that ends its wait.
    pub calls: Option<Seq>,
    /// Whether it is interrupted for one that it has not seen.
    pub interrupts: bool,
}

/// Lists what has to be accepted by agents whose ids lie between two, oldest first for each.
pub(crate) const TO_ACCEPT: &str = select!(
    Item,
    "
     WHERE room_id = ?1 AND recipient BETWEEN ?2 AND ?3 AND requires_ack = 1 AND accepted_at_ms IS NULL
       AND (seen_at_ms IS NULL OR (requires_ack = 1 AND accepted_at_ms IS NULL))
     ORDER BY recipient, message
     LIMIT ?4
"
);

/// Counts what waits for an agent.
pub(crate) const WAITING: &str = "
    SELECT CAST(count(CASE WHEN seen_at_ms IS NULL THEN 1 END) AS BIGINT),
           CAST(count(CASE WHEN requires_ack = 1 THEN 1 END) AS BIGINT),
           CAST(max(CASE WHEN delivered_at_ms IS NULL AND wakes = 1 THEN message END) AS BIGINT),
           CAST(max(CASE WHEN seen_at_ms IS NULL THEN interrupts END) AS BIGINT)
      FROM inbox
     WHERE room_id = ?1 AND recipient = ?2
       AND (seen_at_ms IS NULL OR (requires_ack = 1 AND accepted_at_ms IS NULL))
";

/// How much waits for `agent`.
pub fn waiting(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId) -> Result<Waiting, StoreError> {
    let mut waiting = Waiting::default();
    tx.query(WAITING, &[room.as_str().into(), agent.as_str().into()], &mut |row| {
        waiting = counted(row)?;
        Ok(())
    })?;
    Ok(waiting)
}

/// The counts in a row of [`WAITING`].
pub(crate) fn counted(row: &dyn Row) -> Result<Waiting, StoreError> {
    let count = |column| row.int(column).map(|count| count.unwrap_or_default().unsigned_abs());
    let calls = row.int(2)?.map(|seq| Seq(seq.unsigned_abs()));
    Ok(Waiting { unseen: count(0)?, to_accept: count(1)?, calls, interrupts: count(3)? > 0 })
}

/// A place that a caller names. None is beyond the largest number.
fn place(seq: Seq) -> i64 {
    seq.0.try_into().unwrap_or(i64::MAX)
}
