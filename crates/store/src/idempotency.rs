//! First answers to keyed requests, so that a retry is answered and not carried out again.

use baton_core::{ids::AgentId, limits, time::Timestamp};

use crate::{
    StoreError,
    engine::{Changes, Tx},
};

/// A request that was carried out under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct First {
    /// The digest of the request.
    pub request: String,
    /// The answer as JSON.
    pub answer: String,
}

/// Finds the first answer under a key.
const FIND: &str = "
    SELECT request, answer
      FROM idempotency
     WHERE agent_id = ?1 AND key = ?2
";

/// Keeps out every other write under the same key until this one ends, so that of two that arrive together one is
/// carried out and the other finds its answer.
pub fn reserve(tx: &mut dyn Tx, agent: &AgentId, key: &str) -> Result<(), StoreError> {
    tx.alone(&format!("key {agent} {key}"))
}

/// The first answer that `agent` got under `key`.
pub fn find(tx: &mut dyn Tx, agent: &AgentId, key: &str) -> Result<Option<First>, StoreError> {
    let mut found = None;
    tx.query(FIND, &[agent.as_str().into(), key.into()], &mut |row| {
        found = Some(First {
            request: row.text(0)?.unwrap_or_default().to_owned(),
            answer: row.text(1)?.unwrap_or_default().to_owned(),
        });
        Ok(())
    })?;
    Ok(found)
}

/// Keeps a first answer.
const KEEP: &str = "
    INSERT INTO idempotency (agent_id, key, request, answer, created_at_ms)
    VALUES (?1, ?2, ?3, ?4, ?5)
";

/// Forgets answers that nobody will ask for again.
const FORGET: &str = "
    DELETE FROM idempotency
     WHERE created_at_ms < ?1
";

/// Keeps the first answer under a key, and forgets those that are too old.
pub fn keep(tx: &mut dyn Tx, agent: &AgentId, key: &str, first: &First, now: Timestamp) -> Result<(), StoreError> {
    let oldest = now.as_millis() - limits::IDEMPOTENCY_TTL.as_millis() as i64;
    tx.execute(FORGET, &[oldest.into()], Changes::Any)?;
    store(tx, agent, key, first, now)
}

fn store(tx: &mut dyn Tx, agent: &AgentId, key: &str, first: &First, at: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        KEEP,
        &[
            agent.as_str().into(),
            key.into(),
            first.request.as_str().into(),
            first.answer.as_str().into(),
            at.as_millis().into(),
        ],
        Changes::Any,
    )
}

/// A first answer with whose it is, to be kept elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The agent that asked.
    pub agent_id: AgentId,
    /// Under which key.
    pub key: String,
    /// The request and its answer.
    pub first: First,
    /// When.
    pub at: Timestamp,
}

/// Reads first answers in the order of their keys.
const AFTER: &str = "
    SELECT agent_id, key, request, answer, created_at_ms
      FROM idempotency
     WHERE (agent_id, key) > (?1, ?2)
     ORDER BY agent_id, key
     LIMIT ?3
";

/// The first answers that come after `last` in the order of agents and keys, or the very first ones.
pub fn after(tx: &mut dyn Tx, last: Option<&Kept>, limit: u32) -> Result<Vec<Kept>, StoreError> {
    let (agent, key) = last.map_or(("", ""), |last| (last.agent_id.as_str(), last.key.as_str()));
    let mut found = Vec::new();
    tx.query(AFTER, &[agent.into(), key.into(), i64::from(limit).into()], &mut |row| {
        let text = |column| row.text(column).map(|text| text.unwrap_or_default().to_owned());
        let agent_id = text(0)?;
        found.push(Kept {
            agent_id: agent_id.parse().map_err(|error| StoreError::BadRow {
                table: "idempotency",
                key: agent_id.clone(),
                detail: format!("{error}"),
            })?,
            key: text(1)?,
            first: First { request: text(2)?, answer: text(3)? },
            at: Timestamp::from_millis(row.int(4)?.unwrap_or_default()),
        });
        Ok(())
    })?;
    Ok(found)
}

/// Keeps a first answer that was given elsewhere, as old as it is.
pub fn restore(tx: &mut dyn Tx, kept: &Kept) -> Result<(), StoreError> {
    store(tx, &kept.agent_id, &kept.key, &kept.first, kept.at)
}
