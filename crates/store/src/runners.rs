//! Runners, and until when they count as there.

use baton_core::{
    claimant::{Backing, Claimant},
    ids::{AgentId, RoomId},
    process::ProcessIdentity,
    runner::{Phase, Runner, Runners, Tally},
    time::Timestamp,
};

use crate::{
    StoreError,
    engine::{Changes, Param, Query, Row, Tx},
    fields::{Fields, bad},
};

/// A runner as [`runner`] reads it, from the rows that are meant.
macro_rules! runners {
    ($which:literal) => {
        concat!(
            "
    SELECT runner, agent, capabilities, retired, phase, active, lease_expires_at_ms, process, via
      FROM runners",
            $which
        )
    };
}

/// Reads one runner.
pub(crate) const FIND: &str = runners!(
    "
     WHERE room_id = ?1 AND runner = ?2
"
);

/// The runner with this id.
pub fn find(tx: &mut dyn Tx, room: &RoomId, id: &AgentId) -> Result<Option<Runner>, StoreError> {
    let found = collect(tx, FIND, room, &[room.as_str().into(), id.as_str().into()])?;
    Ok(found.into_iter().next())
}

/// Lists the runners whose lease is in force.
pub(crate) const PRESENT: &str = runners!(
    "
     WHERE room_id = ?1 AND lease_expires_at_ms > ?2 AND phase = ?4
     ORDER BY lease_expires_at_ms DESC, runner
     LIMIT ?3
"
);

/// Runners that are there at `now`, in the order of their ids. Of more than `limit` those at work are kept first.
pub fn present(tx: &mut dyn Tx, room: &RoomId, now: Timestamp, limit: u32) -> Result<Vec<Runner>, StoreError> {
    let of = |phase: Phase| -> [Param<'_>; 4] {
        [room.as_str().into(), now.as_millis().into(), i64::from(limit).into(), phase.as_str().into()]
    };
    let params = [Phase::Live, Phase::Idle].map(of);
    let queries: Vec<Query<'_>> = params.iter().map(|params| Query::new(PRESENT, params)).collect();
    let mut found = Vec::new();
    tx.query_all(&queries, &mut |_, row| {
        found.push(runner(room, row)?);
        Ok(())
    })?;
    found.truncate(limit as usize);
    found.sort_by(|one, other| (one.phase != Phase::Live, &one.id).cmp(&(other.phase != Phase::Live, &other.id)));
    Ok(found)
}

/// Lists the runners whose lease ran out, the last one first.
pub(crate) const OFFLINE: &str = runners!(
    "
     WHERE room_id = ?1 AND lease_expires_at_ms <= ?2 AND lease_expires_at_ms > ?3 AND retired = 0
     ORDER BY lease_expires_at_ms DESC, runner
     LIMIT ?4
"
);

/// Runners whose lease ran out between `since` and `now`, the last one first. Those that signed off do not count.
pub fn offline(
    tx: &mut dyn Tx,
    room: &RoomId,
    now: Timestamp,
    since: Timestamp,
    limit: u32,
) -> Result<Vec<Runner>, StoreError> {
    let params = [room.as_str().into(), now.as_millis().into(), since.as_millis().into(), i64::from(limit).into()];
    collect(tx, OFFLINE, room, &params)
}

/// Counts runners.
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

/// Lists all of them.
const ALL: &str = runners!(
    "
     WHERE room_id = ?1
     ORDER BY runner
"
);

/// Every runner of a room, for a check of them all.
pub fn all(tx: &mut dyn Tx, room: &RoomId) -> Result<Runners, StoreError> {
    let mut runners = collect(tx, ALL, room, &[room.as_str().into()])?;
    runners.sort_by(|one, other| one.id.cmp(&other.id));
    Ok(Runners { runners })
}

/// Stores a runner.
const PUT: &str = "
    INSERT INTO runners (room_id, runner, agent, capabilities, retired, phase, active, lease_expires_at_ms, process, via)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
        ON CONFLICT (room_id, runner) DO UPDATE
       SET agent = excluded.agent, capabilities = excluded.capabilities, retired = excluded.retired,
           phase = excluded.phase, active = excluded.active, lease_expires_at_ms = excluded.lease_expires_at_ms,
           process = excluded.process, via = excluded.via
";

/// Stores a runner, new or changed.
fn put(tx: &mut dyn Tx, room: &RoomId, runner: &Runner) -> Result<(), StoreError> {
    let wrong = |error| bad("runners", runner.id.as_str(), error);
    let capabilities = runner.capabilities.as_ref().map(serde_json::to_string).transpose().map_err(wrong)?;
    let active = serde_json::to_string(&runner.active).map_err(wrong)?;
    let Backing { process, via } = &runner.claimant.backing;
    let process = process.as_ref().map(serde_json::to_string).transpose().map_err(wrong)?;
    tx.execute(
        PUT,
        &[
            room.as_str().into(),
            runner.id.as_str().into(),
            runner.claimant.agent.as_str().into(),
            capabilities.as_deref().into(),
            i64::from(runner.retired).into(),
            runner.phase.as_str().into(),
            active.as_str().into(),
            runner.lease_expires_at.as_millis().into(),
            process.as_deref().into(),
            via.as_deref().into(),
        ],
        Changes::One("runners"),
    )
}

/// Moves a runner's lease.
const HEAR: &str = "
    UPDATE runners
       SET phase = ?3, active = ?4, lease_expires_at_ms = ?5
     WHERE room_id = ?1 AND runner = ?2
";

/// Stores what became different of some runners.
pub fn save(tx: &mut dyn Tx, room: &RoomId, before: &Runners, after: &Runners) -> Result<(), StoreError> {
    for runner in &after.runners {
        match before.find(&runner.id) {
            Some(known) if known == runner => {}
            Some(known) if known.clone().without_heartbeats() == runner.clone().without_heartbeats() => {
                hear(tx, room, runner)?;
            }
            Some(_) | None => put(tx, room, runner)?,
        }
    }
    Ok(())
}

/// Stores what a heartbeat says.
fn hear(tx: &mut dyn Tx, room: &RoomId, runner: &Runner) -> Result<(), StoreError> {
    let active = serde_json::to_string(&runner.active).map_err(|error| bad("runners", runner.id.as_str(), error))?;
    let params: [Param<'_>; 5] = [
        room.as_str().into(),
        runner.id.as_str().into(),
        runner.phase.as_str().into(),
        active.as_str().into(),
        runner.lease_expires_at.as_millis().into(),
    ];
    tx.execute(HEAR, &params, Changes::One("runners"))
}

/// Lists the processes behind the leases that are in force.
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
    let mut found: Vec<ProcessIdentity> = Vec::new();
    let params = [room.as_str().into(), now.as_millis().into(), i64::from(limit).into()];
    tx.query(PROCESSES, &params, &mut |row| {
        let fields = Fields { table: "runners", key: room.as_str(), row };
        found.extend(fields.optional_json::<ProcessIdentity>(0)?.filter(|process| !found.contains(process)));
        Ok(())
    })?;
    Ok(found)
}

/// Ends the leases of a process.
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

fn collect(tx: &mut dyn Tx, sql: &'static str, room: &RoomId, params: &[Param<'_>]) -> Result<Vec<Runner>, StoreError> {
    let mut found = Vec::new();
    tx.query(sql, params, &mut |row| {
        found.push(runner(room, row)?);
        Ok(())
    })?;
    Ok(found)
}

fn runner(room: &RoomId, row: &dyn Row) -> Result<Runner, StoreError> {
    let fields = Fields { table: "runners", key: room.as_str(), row };
    let backing = Backing { process: fields.optional_json(7)?, via: row.text(8)?.map(str::to_owned) };
    Ok(Runner {
        id: fields.id(0)?,
        claimant: Claimant { agent: fields.id(1)?, backing },
        capabilities: fields.optional_json(2)?,
        retired: fields.number(3)? != 0,
        phase: fields.word(4)?,
        active: serde_json::from_str(fields.text(5)?).map_err(|error| fields.bad(error))?,
        lease_expires_at: fields.time(6)?,
    })
}
