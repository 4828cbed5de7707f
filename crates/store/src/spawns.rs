//! Requests for further agents, and what agents may do. What is asked for is in the log.

use baton_core::{
    ids::{AgentId, RoomId, Seq},
    job::JobId,
    spawn::{Approval, ApprovalId, Grant, Grants, Spawns},
};

use crate::{
    StoreError,
    engine::{Changes, Row, Tx},
    fields::{Fields, collect, number},
};

/// A request as [`approval`] reads it, from the rows that are meant.
macro_rules! approvals {
    ($which:literal) => {
        concat!(
            "
    SELECT approval, requested_by, title, status, job, decided_by, reason, seq, requested_at_ms, decided_at_ms
      FROM approvals",
            $which
        )
    };
}

pub(crate) const FIND: &str = approvals!(
    "
     WHERE room_id = ?1 AND approval = ?2
"
);

/// The request with this number.
pub fn find(tx: &mut dyn Tx, room: &RoomId, id: ApprovalId) -> Result<Option<Approval>, StoreError> {
    let found = collect(tx, FIND, room, &[room.as_str().into(), i64::from(id.0).into()], approval)?;
    Ok(found.into_iter().next())
}

pub(crate) const PENDING: &str = approvals!(
    "
     WHERE room_id = ?1 AND status = 'pending'
     ORDER BY approval
     LIMIT ?2
"
);

/// The requests that nobody has decided on, oldest first.
pub fn pending(tx: &mut dyn Tx, room: &RoomId, limit: u32) -> Result<Vec<Approval>, StoreError> {
    collect(tx, PENDING, room, &[room.as_str().into(), i64::from(limit).into()], approval)
}

pub(crate) const NEWEST: &str = approvals!(
    "
     WHERE room_id = ?1 AND approval < ?2
     ORDER BY approval DESC
     LIMIT ?3
"
);

/// Requests before a number, newest first.
pub fn before(
    tx: &mut dyn Tx,
    room: &RoomId,
    before: Option<ApprovalId>,
    limit: u32,
) -> Result<Vec<Approval>, StoreError> {
    let before = before.map_or(i64::MAX, |id| i64::from(id.0));
    collect(tx, NEWEST, room, &[room.as_str().into(), before.into(), i64::from(limit).into()], approval)
}

/// The next number of a request.
pub fn next(tx: &mut dyn Tx, room: &RoomId) -> Result<ApprovalId, StoreError> {
    let last = before(tx, room, None, 1)?;
    Ok(ApprovalId(last.first().map_or(0, |approval| approval.id.0) + 1))
}

pub(crate) const GRANT: &str = "
    SELECT agent_id, spawn_nodes, read_only, seq
      FROM grants
     WHERE room_id = ?1 AND agent_id = ?2
";

/// What was decided that an agent may do.
pub fn grant_of(tx: &mut dyn Tx, room: &RoomId, agent: &AgentId) -> Result<Option<Grant>, StoreError> {
    let found = collect(tx, GRANT, room, &[room.as_str().into(), agent.as_str().into()], grant)?;
    Ok(found.into_iter().next())
}

const ALL: &str = approvals!(
    "
     WHERE room_id = ?1
     ORDER BY approval
"
);
const ALL_GRANTS: &str = "
    SELECT agent_id, spawn_nodes, read_only, seq
      FROM grants
     WHERE room_id = ?1
     ORDER BY agent_id
";

/// Every request and grant of a room, for a check of them all.
pub fn all(tx: &mut dyn Tx, room: &RoomId) -> Result<Spawns, StoreError> {
    Ok(Spawns {
        approvals: collect(tx, ALL, room, &[room.as_str().into()], approval)?,
        grants: collect(tx, ALL_GRANTS, room, &[room.as_str().into()], grant)?,
    })
}

const PUT: &str = "
    INSERT INTO approvals (room_id, approval, requested_by, title, status, job, decided_by, reason, seq,
                           requested_at_ms, decided_at_ms)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
        ON CONFLICT (room_id, approval) DO UPDATE
       SET status = excluded.status, job = excluded.job, decided_by = excluded.decided_by, reason = excluded.reason,
           decided_at_ms = excluded.decided_at_ms
";
const PUT_GRANT: &str = "
    INSERT INTO grants (room_id, agent_id, spawn_nodes, read_only, seq)
    VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (room_id, agent_id) DO UPDATE
       SET spawn_nodes = excluded.spawn_nodes, read_only = excluded.read_only, seq = excluded.seq
";

/// Stores what has become of `before`, and what is new.
pub fn save(tx: &mut dyn Tx, room: &RoomId, before: &Spawns, after: &Spawns) -> Result<(), StoreError> {
    for approval in after.approvals.iter().filter(|approval| before.find(approval.id) != Some(*approval)) {
        let params = [
            room.as_str().into(),
            i64::from(approval.id.0).into(),
            approval.requested_by.as_str().into(),
            approval.title.as_str().into(),
            approval.status.as_str().into(),
            approval.job.map(|job| i64::from(job.0)).into(),
            approval.decided_by.as_ref().map(AgentId::as_str).into(),
            approval.reason.as_deref().into(),
            number(approval.seq.0).into(),
            approval.requested_at.as_millis().into(),
            approval.decided_at.map(|at| at.as_millis()).into(),
        ];
        tx.execute(PUT, &params, Changes::One("approvals"))?;
    }
    for grant in after.grants.iter().filter(|grant| !before.grants.contains(grant)) {
        let params = [
            room.as_str().into(),
            grant.agent_id.as_str().into(),
            i64::from(grant.grants.spawn_nodes).into(),
            i64::from(grant.grants.read_only).into(),
            number(grant.seq.0).into(),
        ];
        tx.execute(PUT_GRANT, &params, Changes::One("grants"))?;
    }
    Ok(())
}

pub(crate) fn approval(room: &RoomId, row: &dyn Row) -> Result<Approval, StoreError> {
    let fields = Fields { table: "approvals", key: room.as_str(), row };
    let small = |value: u64| value.try_into().map_err(|_| fields.bad("has a number that is too large"));
    Ok(Approval {
        id: ApprovalId(small(fields.number(0)?)?),
        requested_by: fields.id(1)?,
        title: fields.text(2)?.to_owned(),
        status: fields.word(3)?,
        job: row.int(4)?.map(|job| small(job.unsigned_abs()).map(JobId)).transpose()?,
        decided_by: fields.optional(5)?,
        reason: row.text(6)?.map(str::to_owned),
        seq: Seq(fields.number(7)?),
        requested_at: fields.time(8)?,
        decided_at: fields.optional_time(9)?,
    })
}

fn grant(room: &RoomId, row: &dyn Row) -> Result<Grant, StoreError> {
    let fields = Fields { table: "grants", key: room.as_str(), row };
    Ok(Grant {
        agent_id: fields.id(0)?,
        grants: Grants { spawn_nodes: fields.number(1)? == 1, read_only: fields.number(2)? == 1 },
        seq: Seq(fields.number(3)?),
    })
}
