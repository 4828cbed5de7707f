//! Runners, and until when they count as there.

use baton_core::{
    claimant::{Backing, Claimant},
    ids::RoomId,
    process::ProcessIdentity,
    runner::{Phase, Runner, Tally},
    time::Timestamp,
};

use crate::{
    StoreError,
    engine::{Changes, Tx},
    fields::{Fields, bad},
    question::{Argument, distinct, list_each, questions},
    sql::select,
    table::table,
};

table! {
    "runners": Runner |spoken| {
        key |id| { runner = id }
        once {}
        changes {
            agent = spoken.claimant.agent,
            capabilities = spoken.capabilities,
            retired = spoken.retired,
            process = spoken.claimant.backing.process,
            via = spoken.claimant.backing.via,
        }
        moves {
            phase = spoken.phase,
            active = spoken.active,
            lease_expires_at_ms = spoken.lease_expires_at,
        }
    }
    read Self {
        id: runner,
        claimant: Claimant { agent, backing: Backing { process, via } },
        capabilities,
        retired,
        phase,
        active,
        lease_expires_at: lease_expires_at_ms,
    }
}

pub(crate) const PRESENT: &str = select!(
    Runner,
    "WHERE room_id = ?1 AND lease_expires_at_ms > ?2 AND phase = ?4
     ORDER BY lease_expires_at_ms DESC, runner
     LIMIT ?3"
);

/// Runners that are there at `now`, in the order of their ids. Of more than `limit` those at work are kept first.
pub fn present(tx: &mut dyn Tx, room: &RoomId, now: Timestamp, limit: u32) -> Result<Vec<Runner>, StoreError> {
    let phases = [Phase::Live, Phase::Idle];
    let each = phases.iter().map(|phase| [&now as &dyn Argument, &limit, phase]);
    let mut found: Vec<Runner> = list_each(tx, PRESENT, room, each)?;
    found.truncate(limit as usize);
    found.sort_by(|one, other| (one.phase != Phase::Live, &one.id).cmp(&(other.phase != Phase::Live, &other.id)));
    Ok(found)
}

questions! {
    /// Runners whose lease ran out between `since` and `now`, the last one first. Those that signed off do not count.
    pub fn offline(now: Timestamp, since: Timestamp, limit: u32) -> Vec<Runner> = OFFLINE: "
        WHERE room_id = ?1 AND lease_expires_at_ms <= ?2 AND lease_expires_at_ms > ?3 AND retired = 0
        ORDER BY lease_expires_at_ms DESC, runner
        LIMIT ?4
    ";
}

pub(crate) const TALLY: &str = "
    SELECT coalesce(sum(CASE WHEN lease_expires_at_ms > ?2 AND phase = 'live' THEN 1 ELSE 0 END), 0),
           coalesce(sum(CASE WHEN lease_expires_at_ms > ?2 AND phase = 'idle' THEN 1 ELSE 0 END), 0),
           coalesce(sum(CASE WHEN lease_expires_at_ms <= ?2 AND retired = 0 THEN 1 ELSE 0 END), 0)
      FROM runners
     WHERE room_id = ?1 AND lease_expires_at_ms > ?3
";

/// How many runners there are at `now`, of those whose lease ran out after `since`.
pub fn tally(tx: &mut dyn Tx, room: &RoomId, now: Timestamp, since: Timestamp) -> Result<Tally, StoreError> {
    let mut tally = Tally::default();
    tx.query(TALLY, &[room.as_str().into(), now.as_millis().into(), since.as_millis().into()], &mut |row| {
        let fields = Fields { table: "runners", key: room.as_str(), row };
        tally = Tally { live: fields.number(0)?, idle: fields.number(1)?, offline: fields.number(2)? };
        Ok(())
    })?;
    Ok(tally)
}

pub(crate) const PROCESSES: &str = "
    SELECT process
      FROM runners
     WHERE room_id = ?1 AND lease_expires_at_ms > ?2 AND process IS NOT NULL
     ORDER BY lease_expires_at_ms DESC, runner
     LIMIT ?3
";

/// The processes behind runners that are there at `now`, each once.
pub fn processes(
    tx: &mut dyn Tx,
    room: &RoomId,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<ProcessIdentity>, StoreError> {
    distinct(tx, ("runners", PROCESSES), room, &[&now, &limit])
}

const END_LEASES: &str = "
    UPDATE runners
       SET lease_expires_at_ms = ?3
     WHERE room_id = ?1 AND process = ?2 AND lease_expires_at_ms > ?3
";

/// Ends at `now` the leases of a process that is proven gone. The room must be locked.
pub fn end_leases(tx: &mut dyn Tx, room: &RoomId, process: &ProcessIdentity, now: Timestamp) -> Result<(), StoreError> {
    let process = serde_json::to_string(process).map_err(|error| bad("runners", room.as_str(), error))?;
    tx.execute(END_LEASES, &[room.as_str().into(), process.as_str().into(), now.as_millis().into()], Changes::Any)
}
