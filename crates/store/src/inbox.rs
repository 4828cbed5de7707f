//! Inboxes: one row per message and recipient. What a message says is in the log.

use std::collections::{HashMap, HashSet};

use baton_core::{
    ids::{AgentId, RoomId, Seq},
    inbox::{Inbox, Item, Stage},
    turn::TurnId,
};

use crate::{
    StoreError,
    engine::{Changes, Param, Row, Tx},
    fields::{Fields, number},
};

/// An item as [`item`] reads it, from the rows that are meant.
macro_rules! items {
    ($which:literal) => {
        concat!(
            "
    SELECT message, recipient, sender, category, requires_ack, wakes, queued_at_ms, delivered_at_ms, seen_at_ms,
           accepted_at_ms, turn, interrupts, note
      FROM inbox",
            $which
        )
    };
}

/// Lists what an agent has to see or to accept, oldest first.
pub(crate) const PENDING: &str = items!(
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
    collect(tx, PENDING, room, &params)
}

/// Lists what a turn of an agent takes: interrupts first, then in the order of the log.
pub(crate) const UNTAKEN: &str = items!(
    "
     WHERE room_id = ?1 AND recipient = ?2 AND turn IS NULL AND category <> 'CONTROL'
       AND (seen_at_ms IS NULL OR (requires_ack = 1 AND accepted_at_ms IS NULL))
     ORDER BY interrupts DESC, message
     LIMIT ?3
"
);

/// What waits for a turn of `agent`: interrupts first, then oldest first.
pub fn untaken(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId, limit: u32) -> Result<Vec<Item>, StoreError> {
    collect(tx, UNTAKEN, room, &[room.as_str().into(), agent.as_str().into(), i64::from(limit).into()])
}

/// Lists what a turn has.
pub(crate) const OF_TURN: &str = items!(
    "
     WHERE room_id = ?1 AND turn = ?2
     ORDER BY message
"
);

/// What a turn has, oldest first.
pub fn of_turn(tx: &mut dyn Tx, room: &RoomId, turn: TurnId) -> Result<Vec<Item>, StoreError> {
    collect(tx, OF_TURN, room, &[room.as_str().into(), i64::from(turn.0).into()])
}

/// Lists what an agent is interrupted for and has not seen.
pub(crate) const INTERRUPTS: &str = items!(
    "
     WHERE room_id = ?1 AND recipient = ?2 AND interrupts = 1 AND seen_at_ms IS NULL
     ORDER BY message
"
);

/// What `agent` is interrupted for and has not seen, oldest first.
pub fn interrupts(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId) -> Result<Vec<Item>, StoreError> {
    collect(tx, INTERRUPTS, room, &[room.as_str().into(), agent.as_str().into()])
}

/// Lists what of the bus an agent was not told of, oldest first.
pub(crate) const UNDELIVERED: &str = items!(
    "
     WHERE room_id = ?1 AND recipient = ?2 AND seen_at_ms IS NULL AND delivered_at_ms IS NULL
       AND category IN ('MESSAGE', 'CONTROL')
     ORDER BY message
     LIMIT ?3
"
);

/// The actions and messages of the bus that `agent` was not told of, oldest first.
pub fn undelivered(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId, limit: u32) -> Result<Vec<Item>, StoreError> {
    collect(tx, UNDELIVERED, room, &[room.as_str().into(), agent.as_str().into(), i64::from(limit).into()])
}

/// Lists an agent's items, oldest first.
const OF: &str = items!(
    "
     WHERE room_id = ?1 AND recipient = ?2 AND message > ?3
     ORDER BY message
     LIMIT ?4
"
);

/// All of `agent`'s items after a message, oldest first.
pub fn of(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId, after: Seq, limit: u32) -> Result<Vec<Item>, StoreError> {
    let params = [room.as_str().into(), agent.as_str().into(), place(after).into(), i64::from(limit).into()];
    collect(tx, OF, room, &params)
}

/// Lists an agent's items, newest first.
pub(crate) const NEWEST: &str = items!(
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
    collect(tx, NEWEST, room, &params)
}

/// Lists an agent's items on one rung of the ladder, oldest first.
const AT: &str = items!(
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
    collect(tx, AT, room, &params)
}

/// Lists what an agent sent, newest message first.
const SENT: &str = items!(
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
const UNANSWERED: &str = items!(
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
    collect(tx, sql, room, &[room.as_str().into(), agent.as_str().into(), before.into(), i64::from(limit).into()])
}

/// Lists those of an agent's items that another agent has to see or to accept too.
pub(crate) const SHARED: &str = items!(
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
    collect(tx, SHARED, room, &[room.as_str().into(), agent.as_str().into(), other.as_str().into()])
}

/// Lists one message's items.
pub(crate) const OF_MESSAGE: &str = items!(
    "
     WHERE room_id = ?1 AND message = ?2
     ORDER BY recipient
"
);

/// The items of one message.
pub fn of_message(tx: &mut dyn Tx, room: &RoomId, message: Seq) -> Result<Vec<Item>, StoreError> {
    collect(tx, OF_MESSAGE, room, &[room.as_str().into(), number(message.0).into()])
}

/// Lists all there are.
const ALL: &str = items!(
    "
     WHERE room_id = ?1
     ORDER BY message, recipient
"
);

/// Every item of a room, for a check of them all.
pub fn all(tx: &mut dyn Tx, room: &RoomId) -> Result<Inbox, StoreError> {
    Ok(Inbox { items: collect(tx, ALL, room, &[room.as_str().into()])? })
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
}

/// Lists what has to be accepted by agents whose ids lie between two, oldest first for each.
pub(crate) const TO_ACCEPT: &str = items!(
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
           CAST(max(CASE WHEN delivered_at_ms IS NULL AND wakes = 1 THEN message END) AS BIGINT)
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
    Ok(Waiting { unseen: count(0)?, to_accept: count(1)?, calls })
}

/// Stores an item.
const PUT: &str = "
    INSERT INTO inbox (room_id, recipient, message, sender, category, requires_ack, wakes, queued_at_ms,
                       delivered_at_ms, seen_at_ms, accepted_at_ms, turn, interrupts, note)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
        ON CONFLICT (room_id, recipient, message) DO UPDATE
       SET delivered_at_ms = excluded.delivered_at_ms, seen_at_ms = excluded.seen_at_ms,
           accepted_at_ms = excluded.accepted_at_ms, turn = excluded.turn, note = excluded.note
";

/// Removes an item.
const REMOVE: &str = "
    DELETE FROM inbox
     WHERE room_id = ?1 AND recipient = ?2 AND message = ?3
";

/// Stores what has become of the items of `before`, and those that are new.
pub fn save(tx: &mut dyn Tx, room: &RoomId, before: &Inbox, after: &Inbox) -> Result<(), StoreError> {
    let key = |item: &'_ Item| (item.message, item.recipient.clone());
    let old: HashMap<_, &Item> = before.items.iter().map(|item| (key(item), item)).collect();
    let new: HashSet<_> = after.items.iter().map(key).collect();
    for gone in before.items.iter().filter(|item| !new.contains(&key(item))) {
        let params = [room.as_str().into(), gone.recipient.as_str().into(), number(gone.message.0).into()];
        tx.execute(REMOVE, &params, Changes::Any)?;
    }
    let mut changed = after.items.iter().filter(|item| old.get(&key(item)) != Some(item));
    changed.try_for_each(|item| put(tx, room, item))
}

fn put(tx: &mut dyn Tx, room: &RoomId, item: &Item) -> Result<(), StoreError> {
    tx.execute(
        PUT,
        &[
            room.as_str().into(),
            item.recipient.as_str().into(),
            number(item.message.0).into(),
            item.sender.as_str().into(),
            item.category.as_str().into(),
            i64::from(item.requires_ack).into(),
            i64::from(item.wakes).into(),
            item.queued_at.as_millis().into(),
            item.delivered_at.map(|at| at.as_millis()).into(),
            item.seen_at.map(|at| at.as_millis()).into(),
            item.accepted_at.map(|at| at.as_millis()).into(),
            item.turn.map(|turn| i64::from(turn.0)).into(),
            i64::from(item.interrupts).into(),
            item.note.as_deref().into(),
        ],
        Changes::One("inbox"),
    )
}

/// A place that a caller names. None is beyond the largest number.
fn place(seq: Seq) -> i64 {
    seq.0.try_into().unwrap_or(i64::MAX)
}

fn collect(tx: &mut dyn Tx, sql: &'static str, room: &RoomId, params: &[Param<'_>]) -> Result<Vec<Item>, StoreError> {
    let mut found = Vec::new();
    tx.query(sql, params, &mut |row| {
        found.push(item(room, row)?);
        Ok(())
    })?;
    Ok(found)
}

pub(crate) fn item(room: &RoomId, row: &dyn Row) -> Result<Item, StoreError> {
    let fields = Fields { table: "inbox", key: room.as_str(), row };
    Ok(Item {
        message: Seq(fields.number(0)?),
        recipient: fields.id(1)?,
        sender: fields.id(2)?,
        category: fields.word(3)?,
        requires_ack: fields.number(4)? == 1,
        wakes: fields.number(5)? == 1,
        queued_at: fields.time(6)?,
        delivered_at: fields.optional_time(7)?,
        seen_at: fields.optional_time(8)?,
        accepted_at: fields.optional_time(9)?,
        turn: row.int(10)?.and_then(|turn| u32::try_from(turn).ok()).map(TurnId),
        interrupts: fields.number(11)? == 1,
        note: row.text(12)?.map(str::to_owned),
    })
}
