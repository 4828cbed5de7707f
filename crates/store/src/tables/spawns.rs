//! Requests for further agents, and what agents may do. What is asked for is in the log.

use baton_core::{
    ids::RoomId,
    spawn::{Approval, ApprovalId, Grant, Grants},
};

use crate::{
    StoreError,
    engine::Tx,
    sql::select,
    table::{list, table},
};

table! {
    "approvals": Approval |approval| {
        key |id| { approval = id }
        once {
            requested_by = approval.requested_by,
            title = approval.title,
            seq = approval.seq,
            requested_at_ms = approval.requested_at,
        }
        changes {
            status = approval.status,
            job = approval.job,
            decided_by = approval.decided_by,
            reason = approval.reason,
            decided_at_ms = approval.decided_at,
        }
    }
    current "status = 'pending'"
    read Self {
        id: approval,
        requested_by,
        title,
        status,
        job,
        decided_by,
        reason,
        seq,
        requested_at: requested_at_ms,
        decided_at: decided_at_ms,
    }
}

table! {
    "grants": Grant |grant| {
        key |agent| { agent_id = agent }
        once {}
        changes { spawn_nodes = grant.grants.spawn_nodes, read_only = grant.grants.read_only, seq = grant.seq }
    }
    read Self { agent_id, grants: Grants { spawn_nodes, read_only }, seq }
}

pub(crate) const PENDING: &str = select!(
    Approval,
    "
     WHERE room_id = ?1 AND status = 'pending'
     ORDER BY approval
     LIMIT ?2
"
);

/// The requests that nobody has decided on, oldest first.
pub fn pending(tx: &mut dyn Tx, room: &RoomId, limit: u32) -> Result<Vec<Approval>, StoreError> {
    list(tx, PENDING, room, &[room.as_str().into(), i64::from(limit).into()])
}

pub(crate) const NEWEST: &str = select!(
    Approval,
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
    list(tx, NEWEST, room, &[room.as_str().into(), before.into(), i64::from(limit).into()])
}

/// The next number of a request.
pub fn next(tx: &mut dyn Tx, room: &RoomId) -> Result<ApprovalId, StoreError> {
    let last = before(tx, room, None, 1)?;
    Ok(ApprovalId(last.first().map_or(0, |approval| approval.id.0) + 1))
}
