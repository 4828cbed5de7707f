//! Requests for further agents, and what agents may do. What is asked for is in the log.

use baton_core::{
    ids::RoomId,
    spawn::{Approval, ApprovalId, Grant, Grants},
};

use crate::{StoreError, engine::Tx, question::questions, table::table};

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

questions! {
    /// The requests that nobody has decided on, oldest first.
    pub fn pending(limit: u32) -> Vec<Approval> = PENDING: "
        WHERE room_id = ?1 AND status = 'pending'
        ORDER BY approval
        LIMIT ?2
    ";

    /// Requests before a number, newest first.
    pub fn before(before: Option<ApprovalId>, limit: u32) -> Vec<Approval> = NEWEST: "
        WHERE room_id = ?1 AND approval < ?2
        ORDER BY approval DESC
        LIMIT ?3
    ";
}

/// The next number of a request.
pub fn next(tx: &mut dyn Tx, room: &RoomId) -> Result<ApprovalId, StoreError> {
    let last = before(tx, room, None, 1)?;
    Ok(ApprovalId(last.first().map_or(0, |approval| approval.id.0) + 1))
}
