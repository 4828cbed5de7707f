//! Envelopes and edges: which were sent, what is owed, and between whom they may go. What envelopes say is in the log.

use baton_core::{
    envelope::{Edge, Envelopes, PayloadId, Posted},
    ids::{AgentId, RoomId, Seq},
};

use crate::{
    StoreError,
    engine::{Changes, Row, Tx},
    fields::{Fields, collect, number},
};

/// An envelope as [`posted`] reads it, from the rows that are meant.
macro_rules! envelopes {
    ($which:literal) => {
        concat!(
            "
    SELECT seq, envelope_id, kind, sender, recipient, expectation, reply_to, context_ref, answered_by, sent_at_ms
      FROM envelopes",
            $which
        )
    };
}

pub(crate) const BY_ID: &str = envelopes!(
    "
     WHERE room_id = ?1 AND envelope_id = ?2
"
);

/// The envelope of that name.
pub fn by_id(tx: &mut dyn Tx, room: &RoomId, id: &PayloadId) -> Result<Option<Posted>, StoreError> {
    let found = collect(tx, BY_ID, room, &[room.as_str().into(), id.as_str().into()], posted)?;
    Ok(found.into_iter().next())
}

pub(crate) const AT: &str = envelopes!(
    "
     WHERE room_id = ?1 AND seq = ?2
"
);

/// The envelope of that event.
pub fn at(tx: &mut dyn Tx, room: &RoomId, seq: Seq) -> Result<Option<Posted>, StoreError> {
    let found = collect(tx, AT, room, &[room.as_str().into(), number(seq.0).into()], posted)?;
    Ok(found.into_iter().next())
}

pub(crate) const OWED: &str = envelopes!(
    "
     WHERE room_id = ?1 AND expectation = 'required' AND answered_by IS NULL
     ORDER BY seq
     LIMIT ?2
"
);

/// What is owed a response in a room, oldest first.
pub fn owed(tx: &mut dyn Tx, room: &RoomId, limit: u32) -> Result<Vec<Posted>, StoreError> {
    collect(tx, OWED, room, &[room.as_str().into(), i64::from(limit).into()], posted)
}

pub(crate) const OWED_BETWEEN: &str = envelopes!(
    "
     WHERE room_id = ?1 AND expectation = 'required' AND answered_by IS NULL AND recipient = ?2 AND reply_to = ?3
     ORDER BY seq
     LIMIT 1
"
);

/// The oldest request that `by` owes `to` a response for.
pub fn owed_between(tx: &mut dyn Tx, room: &RoomId, by: &AgentId, to: &AgentId) -> Result<Option<Posted>, StoreError> {
    let params = [room.as_str().into(), by.as_str().into(), to.as_str().into()];
    Ok(collect(tx, OWED_BETWEEN, room, &params, posted)?.into_iter().next())
}

pub(crate) const OWED_BY: &str = envelopes!(
    "
     WHERE room_id = ?1 AND expectation = 'required' AND answered_by IS NULL AND recipient = ?2
     ORDER BY seq
     LIMIT ?3
"
);

/// What `agent` owes a response for, oldest first.
pub fn owed_by(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId, limit: u32) -> Result<Vec<Posted>, StoreError> {
    collect(tx, OWED_BY, room, &[room.as_str().into(), agent.as_str().into(), i64::from(limit).into()], posted)
}

/// Lists what agents whose ids lie between two owe a response for, oldest first. What is owed is little, and what anybody
/// ever got is much: by the recipient as it is stored, SQLite would rather read the latter.
pub(crate) const OWED_WITHIN: &str = envelopes!(
    "
     WHERE room_id = ?1 AND expectation = 'required' AND answered_by IS NULL AND recipient || '' BETWEEN ?2 AND ?3
     ORDER BY seq
     LIMIT ?4
"
);

pub(crate) const OWED_TO: &str = envelopes!(
    "
     WHERE room_id = ?1 AND expectation = 'required' AND answered_by IS NULL AND reply_to = ?2
     ORDER BY seq
     LIMIT ?3
"
);

/// What `agent` is owed a response for, oldest first.
pub fn owed_to(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId, limit: u32) -> Result<Vec<Posted>, StoreError> {
    collect(tx, OWED_TO, room, &[room.as_str().into(), agent.as_str().into(), i64::from(limit).into()], posted)
}

pub(crate) const CONCERNING: &str = envelopes!(
    "
     WHERE room_id = ?1 AND expectation = 'required' AND answered_by IS NULL AND (recipient = ?2 OR reply_to = ?2)
     ORDER BY seq
     LIMIT ?3
"
);

/// What `agent` owes a response for or is owed one for, oldest first.
pub fn concerning(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId, limit: u32) -> Result<Vec<Posted>, StoreError> {
    collect(tx, CONCERNING, room, &[room.as_str().into(), agent.as_str().into(), i64::from(limit).into()], posted)
}

pub(crate) const BETWEEN: &str = envelopes!(
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
    Ok(collect(tx, BETWEEN, room, &params, posted)?.into_iter().next())
}

pub(crate) const LAST_BETWEEN: &str = envelopes!(
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
    Ok(collect(tx, LAST_BETWEEN, room, &params, posted)?.into_iter().next())
}

pub(crate) const RECEIVED: &str = envelopes!(
    "
     WHERE room_id = ?1 AND recipient = ?2 AND seq < ?3
     ORDER BY seq DESC
     LIMIT ?4
"
);
pub(crate) const SENT: &str = envelopes!(
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
    collect(tx, sql, room, &params, posted)
}

const ALL: &str = envelopes!(
    "
     WHERE room_id = ?1
     ORDER BY seq
"
);

pub(crate) const EDGES: &str = "
    SELECT from_agent, to_agent, both_ways, seq
      FROM edges
     WHERE room_id = ?1
     ORDER BY from_agent, to_agent
";

/// The edges of a room.
pub fn edges(tx: &mut dyn Tx, room: &RoomId) -> Result<Vec<Edge>, StoreError> {
    collect(tx, EDGES, room, &[room.as_str().into()], edge)
}

/// Every envelope and edge of a room, for a check of them all.
pub fn all(tx: &mut dyn Tx, room: &RoomId) -> Result<Envelopes, StoreError> {
    let posted = collect(tx, ALL, room, &[room.as_str().into()], posted)?;
    Ok(Envelopes { posted, edges: edges(tx, room)? })
}

const PUT: &str = "
    INSERT INTO envelopes (room_id, seq, envelope_id, kind, sender, recipient, expectation, reply_to, context_ref,
                           answered_by, sent_at_ms)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
        ON CONFLICT (room_id, seq) DO UPDATE
       SET recipient = excluded.recipient, reply_to = excluded.reply_to, answered_by = excluded.answered_by
";
const PUT_EDGE: &str = "
    INSERT INTO edges (room_id, from_agent, to_agent, both_ways, seq)
    VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (room_id, from_agent, to_agent) DO UPDATE
       SET both_ways = excluded.both_ways, seq = excluded.seq
";
const REMOVE_EDGE: &str = "
    DELETE FROM edges
     WHERE room_id = ?1 AND from_agent = ?2 AND to_agent = ?3
";

/// Stores what has become of `before`, and what is new.
pub fn save(tx: &mut dyn Tx, room: &RoomId, before: &Envelopes, after: &Envelopes) -> Result<(), StoreError> {
    let old = |seq| before.posted.binary_search_by_key(&seq, |posted| posted.seq).ok().map(|at| &before.posted[at]);
    for posted in after.posted.iter().filter(|posted| old(posted.seq) != Some(*posted)) {
        put(tx, room, posted)?;
    }
    let same = |one: &Edge, other: &Edge| (&one.from, &one.to) == (&other.from, &other.to);
    for gone in before.edges.iter().filter(|edge| !after.edges.iter().any(|kept| same(kept, edge))) {
        let params = [room.as_str().into(), gone.from.as_str().into(), gone.to.as_str().into()];
        tx.execute(REMOVE_EDGE, &params, Changes::Any)?;
    }
    for edge in after.edges.iter().filter(|edge| !before.edges.contains(edge)) {
        let params = [
            room.as_str().into(),
            edge.from.as_str().into(),
            edge.to.as_str().into(),
            i64::from(edge.both_ways).into(),
            number(edge.seq.0).into(),
        ];
        tx.execute(PUT_EDGE, &params, Changes::One("edges"))?;
    }
    Ok(())
}

fn put(tx: &mut dyn Tx, room: &RoomId, posted: &Posted) -> Result<(), StoreError> {
    let params = [
        room.as_str().into(),
        number(posted.seq.0).into(),
        posted.id.as_str().into(),
        posted.kind.as_str().into(),
        posted.sender.as_str().into(),
        posted.recipient.as_str().into(),
        posted.expectation.as_str().into(),
        posted.reply_to.as_str().into(),
        posted.context_ref.as_deref().into(),
        posted.answered_by.map(|seq| number(seq.0)).into(),
        posted.sent_at.as_millis().into(),
    ];
    tx.execute(PUT, &params, Changes::One("envelopes"))
}

pub(crate) fn posted(room: &RoomId, row: &dyn Row) -> Result<Posted, StoreError> {
    let fields = Fields { table: "envelopes", key: room.as_str(), row };
    Ok(Posted {
        seq: Seq(fields.number(0)?),
        id: fields.id(1)?,
        kind: fields.word(2)?,
        sender: fields.id(3)?,
        recipient: fields.id(4)?,
        expectation: fields.word(5)?,
        reply_to: fields.id(6)?,
        context_ref: row.text(7)?.map(str::to_owned),
        answered_by: row.int(8)?.map(|seq| Seq(seq.unsigned_abs())),
        sent_at: fields.time(9)?,
    })
}

fn edge(room: &RoomId, row: &dyn Row) -> Result<Edge, StoreError> {
    let fields = Fields { table: "edges", key: room.as_str(), row };
    Ok(Edge { from: fields.id(0)?, to: fields.id(1)?, both_ways: fields.number(2)? == 1, seq: Seq(fields.number(3)?) })
}
