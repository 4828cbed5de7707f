//! Envelopes and edges: which were sent, what is owed, and between whom they may go. What envelopes say is in the log.

use baton_core::{
    envelope::{Edge, PayloadId, Posted},
    ids::{AgentId, RoomId, Seq},
};

use crate::{
    StoreError,
    engine::Tx,
    fields::number,
    sql::select,
    table::{first, list, table},
};

table! {
    "envelopes": Posted |posted| {
        key |event| { seq = event }
        once {
            envelope_id = posted.id,
            kind = posted.kind,
            sender = posted.sender,
            expectation = posted.expectation,
            context_ref = posted.context_ref,
            sent_at_ms = posted.sent_at,
        }
        changes { recipient = posted.recipient, reply_to = posted.reply_to, answered_by = posted.answered_by }
    }
    current "expectation = 'required' AND answered_by IS NULL"
    read Self {
        seq,
        id: envelope_id,
        kind,
        sender,
        recipient,
        expectation,
        reply_to,
        context_ref,
        answered_by,
        sent_at: sent_at_ms,
    }
}

table! {
    "edges": Edge |edge| {
        key |(from, to)| { from_agent = from, to_agent = to }
        once {}
        changes { both_ways = edge.both_ways, seq = edge.seq }
    }
    read Self { from: from_agent, to: to_agent, both_ways, seq }
}

pub(crate) const BY_ID: &str = select!(
    Posted,
    "
     WHERE room_id = ?1 AND envelope_id = ?2
"
);

/// The envelope of that name.
pub fn by_id(tx: &mut dyn Tx, room: &RoomId, id: &PayloadId) -> Result<Option<Posted>, StoreError> {
    first(tx, BY_ID, room, &[room.as_str().into(), id.as_str().into()])
}

pub(crate) const OWED: &str = select!(
    Posted,
    "
     WHERE room_id = ?1 AND expectation = 'required' AND answered_by IS NULL
     ORDER BY seq
     LIMIT ?2
"
);

/// What is owed a response in a room, oldest first.
pub fn owed(tx: &mut dyn Tx, room: &RoomId, limit: u32) -> Result<Vec<Posted>, StoreError> {
    list(tx, OWED, room, &[room.as_str().into(), i64::from(limit).into()])
}

pub(crate) const OWED_BETWEEN: &str = select!(
    Posted,
    "
     WHERE room_id = ?1 AND expectation = 'required' AND answered_by IS NULL AND recipient = ?2 AND reply_to = ?3
     ORDER BY seq
     LIMIT 1
"
);

/// The oldest request that `by` owes `to` a response for.
pub fn owed_between(tx: &mut dyn Tx, room: &RoomId, by: &AgentId, to: &AgentId) -> Result<Option<Posted>, StoreError> {
    let params = [room.as_str().into(), by.as_str().into(), to.as_str().into()];
    first(tx, OWED_BETWEEN, room, &params)
}

pub(crate) const OWED_BY: &str = select!(
    Posted,
    "
     WHERE room_id = ?1 AND expectation = 'required' AND answered_by IS NULL AND recipient = ?2
     ORDER BY seq
     LIMIT ?3
"
);

/// What `agent` owes a response for, oldest first.
pub fn owed_by(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId, limit: u32) -> Result<Vec<Posted>, StoreError> {
    list(tx, OWED_BY, room, &[room.as_str().into(), agent.as_str().into(), i64::from(limit).into()])
}

/// Lists what agents whose ids lie between two owe a response for, oldest first. What is owed is little, and what anybody
/// ever got is much: by the recipient as it is stored, SQLite would rather read the latter.
pub(crate) const OWED_WITHIN: &str = select!(
    Posted,
    "
     WHERE room_id = ?1 AND expectation = 'required' AND answered_by IS NULL AND recipient || '' BETWEEN ?2 AND ?3
     ORDER BY seq
     LIMIT ?4
"
);

pub(crate) const OWED_TO: &str = select!(
    Posted,
    "
     WHERE room_id = ?1 AND expectation = 'required' AND answered_by IS NULL AND reply_to = ?2
     ORDER BY seq
     LIMIT ?3
"
);

/// What `agent` is owed a response for, oldest first.
pub fn owed_to(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId, limit: u32) -> Result<Vec<Posted>, StoreError> {
    list(tx, OWED_TO, room, &[room.as_str().into(), agent.as_str().into(), i64::from(limit).into()])
}

pub(crate) const CONCERNING: &str = select!(
    Posted,
    "
     WHERE room_id = ?1 AND expectation = 'required' AND answered_by IS NULL AND (recipient = ?2 OR reply_to = ?2)
     ORDER BY seq
     LIMIT ?3
"
);

/// What `agent` owes a response for or is owed one for, oldest first.
pub fn concerning(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId, limit: u32) -> Result<Vec<Posted>, StoreError> {
    list(tx, CONCERNING, room, &[room.as_str().into(), agent.as_str().into(), i64::from(limit).into()])
}

pub(crate) const BETWEEN: &str = select!(
    Posted,
    "
     WHERE room_id = ?1 AND recipient = ?2 AND seq > ?3 AND sender = ?4
     ORDER BY seq
     LIMIT 1
"
);

/// The first envelope that one agent sent another after an event.
pub fn first_between(
    tx: &mut dyn Tx,
    room: &RoomId,
    (from, to): (&AgentId, &AgentId),
    after: Seq,
) -> Result<Option<Posted>, StoreError> {
    let params = [room.as_str().into(), to.as_str().into(), number(after.0).into(), from.as_str().into()];
    first(tx, BETWEEN, room, &params)
}

pub(crate) const LAST_BETWEEN: &str = select!(
    Posted,
    "
     WHERE room_id = ?1 AND recipient = ?2 AND sender = ?3
     ORDER BY seq DESC
     LIMIT 1
"
);

/// The last envelope that one agent sent another.
pub fn last_between(
    tx: &mut dyn Tx,
    room: &RoomId,
    (from, to): (&AgentId, &AgentId),
) -> Result<Option<Posted>, StoreError> {
    let params = [room.as_str().into(), to.as_str().into(), from.as_str().into()];
    first(tx, LAST_BETWEEN, room, &params)
}

pub(crate) const RECEIVED: &str = select!(
    Posted,
    "
     WHERE room_id = ?1 AND recipient = ?2 AND seq < ?3
     ORDER BY seq DESC
     LIMIT ?4
"
);
pub(crate) const SENT: &str = select!(
    Posted,
    "
     WHERE room_id = ?1 AND sender = ?2 AND seq < ?3
     ORDER BY seq DESC
     LIMIT ?4
"
);

/// Which way envelopes went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To the agent.
    Received,
    /// From it.
    Sent,
}

/// The envelopes of an agent before an event, newest first.
pub fn of_agent(
    tx: &mut dyn Tx,
    room: &RoomId,
    (agent, way): (&AgentId, Way),
    before: Option<Seq>,
    limit: u32,
) -> Result<Vec<Posted>, StoreError> {
    let sql = match way {
        Way::Received => RECEIVED,
        Way::Sent => SENT,
    };
    let before = before.map_or(i64::MAX, |seq| seq.0.try_into().unwrap_or(i64::MAX));
    let params = [room.as_str().into(), agent.as_str().into(), before.into(), i64::from(limit).into()];
    list(tx, sql, room, &params)
}

pub(crate) const EDGES: &str = select!(
    Edge,
    "
     WHERE room_id = ?1
     ORDER BY from_agent, to_agent
"
);

/// The edges of a room.
pub fn edges(tx: &mut dyn Tx, room: &RoomId) -> Result<Vec<Edge>, StoreError> {
    list(tx, EDGES, room, &[room.as_str().into()])
}
