//! Envelopes and edges: which were sent, what is owed, and between whom they may go. What envelopes say is in the log.

use baton_core::{
    envelope::{Edge, PayloadId, Posted},
    ids::{AgentId, RoomId, Seq},
};

use crate::{
    StoreError,
    engine::Tx,
    question::{first, list, questions},
    sql::{newest, select},
    table::table,
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

questions! {
    /// The envelope of that name.
    pub fn by_id(id: &PayloadId) -> Option<Posted> = BY_ID: "
        WHERE room_id = ?1 AND envelope_id = ?2
    ";

    /// Requests of a room that are owed a response, oldest first.
    pub fn owed(limit: u32) -> Vec<Posted> = OWED: "
        WHERE room_id = ?1 AND expectation = 'required' AND answered_by IS NULL
        ORDER BY seq
        LIMIT ?2
    ";

    /// The oldest request that `by` owes `to` a response for.
    pub fn owed_between(by: &AgentId, to: &AgentId) -> Option<Posted> = OWED_BETWEEN: "
        WHERE room_id = ?1 AND expectation = 'required' AND answered_by IS NULL AND recipient = ?2 AND reply_to = ?3
        ORDER BY seq
        LIMIT 1
    ";

    /// Requests that `agent` owes a response for, oldest first.
    pub fn owed_by(agent: &AgentId, limit: u32) -> Vec<Posted> = OWED_BY: "
        WHERE room_id = ?1 AND expectation = 'required' AND answered_by IS NULL AND recipient = ?2
        ORDER BY seq
        LIMIT ?3
    ";

    /// Requests that `agent` is owed a response for, oldest first.
    pub fn owed_to(agent: &AgentId, limit: u32) -> Vec<Posted> = OWED_TO: "
        WHERE room_id = ?1 AND expectation = 'required' AND answered_by IS NULL AND reply_to = ?2
        ORDER BY seq
        LIMIT ?3
    ";

    /// Requests that `agent` owes a response for or is owed one for, oldest first.
    pub fn concerning(agent: &AgentId, limit: u32) -> Vec<Posted> = CONCERNING: "
        WHERE room_id = ?1 AND expectation = 'required' AND answered_by IS NULL AND (recipient = ?2 OR reply_to = ?2)
        ORDER BY seq
        LIMIT ?3
    ";

    /// The edges of a room.
    pub fn edges() -> Vec<Edge> = EDGES: "
        WHERE room_id = ?1
        ORDER BY from_agent, to_agent
    ";
}

/// Lists requests that agents whose ids lie between two owe a response for, oldest first. Open requests are few, and an
/// agent's envelopes are many: by the recipient as it is stored, SQLite would rather read the latter.
pub(crate) const OWED_WITHIN: &str = select!(
    Posted,
    "WHERE room_id = ?1 AND expectation = 'required' AND answered_by IS NULL AND recipient || '' BETWEEN ?2 AND ?3
     ORDER BY seq
     LIMIT ?4"
);

pub(crate) const BETWEEN: &str = select!(
    Posted,
    "WHERE room_id = ?1 AND recipient = ?2 AND seq > ?3 AND sender = ?4
     ORDER BY seq
     LIMIT 1"
);

/// The first envelope that one agent sent another after an event.
pub fn first_between(
    tx: &mut dyn Tx,
    room: &RoomId,
    (from, to): (&AgentId, &AgentId),
    after: Seq,
) -> Result<Option<Posted>, StoreError> {
    first(tx, BETWEEN, room, &[&to, &after, &from])
}

pub(crate) const LAST_BETWEEN: &str = select!(
    Posted,
    "WHERE room_id = ?1 AND recipient = ?2 AND sender = ?3
     ORDER BY seq DESC
     LIMIT 1"
);

/// The last envelope that one agent sent another.
pub fn last_between(
    tx: &mut dyn Tx,
    room: &RoomId,
    (from, to): (&AgentId, &AgentId),
) -> Result<Option<Posted>, StoreError> {
    first(tx, LAST_BETWEEN, room, &[&to, &from])
}

pub(crate) const RECEIVED: &str = newest!(Posted, "seq", "recipient = ?4");
pub(crate) const SENT: &str = newest!(Posted, "seq", "sender = ?4");

/// The direction of envelopes, as an agent sees it.
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
    list(tx, sql, room, &[&before, &limit, &agent])
}
