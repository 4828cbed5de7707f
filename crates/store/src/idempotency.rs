//! First answers to keyed requests, so that a retry is answered and not carried out again.

use baton_core::{ids::AgentId, limits, time::Timestamp};

use crate::{
    StoreError,
    engine::{Changes, Tx},
};

/// A request that was carried out under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct First {
    /// What was asked, as a digest.
    pub request: String,
    /// What was answered, as JSON.
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

/// What `agent` was first answered under `key`.
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
    tx.execute(
        KEEP,
        &[
            agent.as_str().into(),
            key.into(),
            first.request.as_str().into(),
            first.answer.as_str().into(),
            now.as_millis().into(),
        ],
        Changes::Any,
    )
}
