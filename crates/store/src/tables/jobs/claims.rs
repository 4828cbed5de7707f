//! Claims on jobs: how many there are, whose, and when they run out. No job is read whole for that.

use baton_core::{
    ids::{AgentId, RoomId},
    process::ProcessIdentity,
    time::Timestamp,
};

use crate::{
    StoreError,
    engine::{Changes, Tx},
    fields::{Fields, bad, collect},
    question::{any, distinct},
};

pub(crate) const LOADS: &str = "
    SELECT runner, count(*)
      FROM jobs
     WHERE room_id = ?1 AND status = 'RUNNING'
     GROUP BY runner
     ORDER BY runner
";

/// How many jobs each runner has claimed.
pub fn loads(tx: &mut dyn Tx, room: &RoomId) -> Result<Vec<(AgentId, u32)>, StoreError> {
    collect(tx, LOADS, room, &[room.as_str().into()], |room, row| {
        let fields = Fields { table: "jobs", key: room.as_str(), row };
        Ok((fields.id(0)?, u32::try_from(fields.number(1)?).unwrap_or(u32::MAX)))
    })
}

pub(crate) const ANY_QUEUED: &str = "
    SELECT number
      FROM jobs
     WHERE room_id = ?1 AND status = 'QUEUED'
     LIMIT 1
";

/// Whether any job waits for a runner.
pub fn any_queued(tx: &mut dyn Tx, room: &RoomId) -> Result<bool, StoreError> {
    any(tx, ANY_QUEUED, room, &[])
}

pub(crate) const NEXT_EXPIRY: &str = "
    SELECT min(claim_expires_at_ms)
      FROM jobs
     WHERE room_id = ?1 AND status = 'RUNNING' AND claim_expires_at_ms > ?2
";

/// When the first of the claims that are in force at `now` runs out.
pub fn next_expiry(tx: &mut dyn Tx, room: &RoomId, now: Timestamp) -> Result<Option<Timestamp>, StoreError> {
    let mut found = None;
    tx.query(NEXT_EXPIRY, &[room.as_str().into(), now.as_millis().into()], &mut |row| {
        found = row.int(0)?.map(Timestamp::from_millis);
        Ok(())
    })?;
    Ok(found)
}

pub(crate) const ANY_OVERDUE: &str = "
    SELECT number
      FROM jobs
     WHERE room_id = ?1 AND status = 'RUNNING' AND claim_expires_at_ms <= ?2
     LIMIT 1
";

/// Whether a job runs whose claim ran out by `now`.
pub fn any_overdue(tx: &mut dyn Tx, room: &RoomId, now: Timestamp) -> Result<bool, StoreError> {
    any(tx, ANY_OVERDUE, room, &[&now])
}

/// Lists the processes behind the claims that are in force, those first whose claims run out first.
pub(crate) const PROCESSES: &str = "
    SELECT claim_process
      FROM jobs
     WHERE room_id = ?1 AND status = 'RUNNING' AND claim_expires_at_ms > ?2 AND claim_process IS NOT NULL
     ORDER BY claim_expires_at_ms, number
     LIMIT ?3
";

/// The processes behind claims that are in force at `now`, each once.
pub fn processes(
    tx: &mut dyn Tx,
    room: &RoomId,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<ProcessIdentity>, StoreError> {
    distinct(tx, ("jobs", PROCESSES), room, &[&now, &limit])
}

const END_CLAIMS: &str = "
    UPDATE jobs
       SET claim_expires_at_ms = ?3
     WHERE room_id = ?1 AND status = 'RUNNING' AND claim_process = ?2 AND claim_expires_at_ms > ?3
";

/// Ends at `now` the claims of a process that is proven gone. The room must be locked.
pub fn end_claims(tx: &mut dyn Tx, room: &RoomId, process: &ProcessIdentity, now: Timestamp) -> Result<(), StoreError> {
    let process = serde_json::to_string(process).map_err(|error| bad("jobs", room.as_str(), error))?;
    tx.execute(END_CLAIMS, &[room.as_str().into(), process.as_str().into(), now.as_millis().into()], Changes::Any)
}
