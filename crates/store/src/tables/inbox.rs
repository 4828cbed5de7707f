//! Inboxes: one row per message and recipient. What a message says is in the log.

use baton_core::{
    ids::{AgentId, RoomId, Seq},
    inbox::{Item, Stage},
    turn::TurnId,
};

use crate::{
    StoreError,
    engine::{Row, Tx},
    question::{any, questions},
    sql::select,
    table::table,
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

questions! {
    /// Items that `agent` has not seen, or has to accept and has not: oldest first, after a message.
    pub fn pending(agent: &AgentId, after: Seq, limit: u32) -> Vec<Item> = PENDING: "
        WHERE room_id = ?1 AND recipient = ?2 AND message > ?3
          AND (seen_at_ms IS NULL OR (requires_ack = 1 AND accepted_at_ms IS NULL))
        ORDER BY message
        LIMIT ?4
    ";

    /// Items that wait for a turn of `agent`: interrupts first, then oldest first.
    pub fn untaken(agent: &AgentId, limit: u32) -> Vec<Item> = UNTAKEN: "
        WHERE room_id = ?1 AND recipient = ?2 AND turn IS NULL AND category <> 'CONTROL'
          AND (seen_at_ms IS NULL OR (requires_ack = 1 AND accepted_at_ms IS NULL))
        ORDER BY interrupts DESC, message
        LIMIT ?3
    ";

    /// Items that a turn has, oldest first.
    pub fn of_turn(turn: TurnId) -> Vec<Item> = OF_TURN: "
        WHERE room_id = ?1 AND turn = ?2
        ORDER BY message
    ";

    /// Interrupts of `agent` that it has not seen, oldest first.
    pub fn interrupts(agent: &AgentId) -> Vec<Item> = INTERRUPTS: "
        WHERE room_id = ?1 AND recipient = ?2 AND interrupts = 1 AND seen_at_ms IS NULL
        ORDER BY message
    ";

    /// The actions and messages of the bus that `agent` was not told of, oldest first.
    pub fn undelivered(agent: &AgentId, limit: u32) -> Vec<Item> = UNDELIVERED: "
        WHERE room_id = ?1 AND recipient = ?2 AND seen_at_ms IS NULL AND delivered_at_ms IS NULL
          AND category IN ('MESSAGE', 'CONTROL')
        ORDER BY message
        LIMIT ?3
    ";

    /// All of `agent`'s items after a message, oldest first.
    pub fn of(agent: &AgentId, after: Seq, limit: u32) -> Vec<Item> = OF: "
        WHERE room_id = ?1 AND recipient = ?2 AND message > ?3
        ORDER BY message
        LIMIT ?4
    ";

    /// All of `agent`'s items before a message, newest first.
    pub fn newest(agent: &AgentId, before: Option<Seq>, limit: u32) -> Vec<Item> = NEWEST: "
        WHERE room_id = ?1 AND recipient = ?2 AND message < ?3
        ORDER BY message DESC
        LIMIT ?4
    ";

    /// `agent`'s items on one rung of the ladder after a message, oldest first.
    pub fn at(agent: &AgentId, stage: Stage, after: Seq, limit: u32) -> Vec<Item> = AT: "
        WHERE room_id = ?1 AND recipient = ?2 AND message > ?4
          AND CASE WHEN accepted_at_ms IS NOT NULL THEN 'accepted'
                   WHEN seen_at_ms IS NOT NULL THEN 'seen'
                   WHEN delivered_at_ms IS NOT NULL THEN 'delivered'
                   ELSE 'queued' END = ?3
        ORDER BY message
        LIMIT ?5
    ";

    /// Items of messages that `agent` sent, newest message first.
    pub fn sent(agent: &AgentId, before: Option<Seq>, limit: u32) -> Vec<Item> = SENT: "
        WHERE room_id = ?1 AND sender = ?2 AND message < ?3
        ORDER BY message DESC, recipient
        LIMIT ?4
    ";

    /// Items of messages that `agent` sent and somebody still has to accept: newest first.
    pub fn unanswered(agent: &AgentId, before: Option<Seq>, limit: u32) -> Vec<Item> = UNANSWERED: "
        WHERE room_id = ?1 AND sender = ?2 AND message < ?3 AND requires_ack = 1 AND accepted_at_ms IS NULL
        ORDER BY message DESC, recipient
        LIMIT ?4
    ";

    /// `agent`'s items of messages that are pending for `other` too.
    pub fn shared(agent: &AgentId, other: &AgentId) -> Vec<Item> = SHARED: "
        WHERE room_id = ?1 AND recipient = ?2
          AND message IN (SELECT message
                            FROM inbox
                           WHERE room_id = ?1 AND recipient = ?3
                             AND (seen_at_ms IS NULL OR (requires_ack = 1 AND accepted_at_ms IS NULL)))
        ORDER BY message
    ";

    /// The items of one message.
    pub fn of_message(message: Seq) -> Vec<Item> = OF_MESSAGE: "
        WHERE room_id = ?1 AND message = ?2
        ORDER BY recipient
    ";
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
    "WHERE room_id = ?1 AND recipient BETWEEN ?2 AND ?3 AND requires_ack = 1 AND accepted_at_ms IS NULL
       AND (seen_at_ms IS NULL OR (requires_ack = 1 AND accepted_at_ms IS NULL))
     ORDER BY recipient, message
     LIMIT ?4"
);

/// Tells whether an agent is interrupted for something that it has not seen.
pub(crate) const INTERRUPTED: &str = "
    SELECT 1
      FROM inbox
     WHERE room_id = ?1 AND recipient = ?2 AND interrupts = 1 AND seen_at_ms IS NULL
     LIMIT 1
";

/// Whether `agent` is interrupted for something that it has not seen.
pub fn is_interrupted(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId) -> Result<bool, StoreError> {
    any(tx, INTERRUPTED, room, &[agent])
}

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
