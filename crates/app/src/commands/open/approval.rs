//! A request for another agent: what was asked for, and what was decided.

use baton_core::{
    room::Room,
    spawn::{Approval, ApprovalId, ApprovalStatus},
};
use baton_store::{engine::Tx, table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    Failure,
    commands::spawn::{ApprovalView, decided, pending_spec, requested},
};

/// A request, whole.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OpenedApproval {
    #[serde(flatten)]
    pub approval: ApprovalView,
    /// The job, what it may do, and its first envelope: while it is pending as it would be made now, then as it was asked for.
    pub request: Map<String, Value>,
    /// Whether the room's policy decided.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_policy: bool,
    /// What was changed before it was approved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modified: Vec<String>,
}

impl OpenedApproval {
    pub(super) fn read(tx: &mut dyn Tx, room: &Room, id: ApprovalId) -> Result<Option<Self>, Failure> {
        let Some(approval) = table::find::<Approval>(tx, &room.id, &id)? else { return Ok(None) };
        let approved = decided(tx, &room.id, &approval)?;
        let (spec, digest) = if approval.status == ApprovalStatus::Pending {
            let spec = pending_spec(tx, &room.id, &approval)?;
            let digest = spec.digest(approval.id, &approval.requested_by);
            (spec, Some(digest))
        } else {
            let digest = approved.as_ref().and_then(|approved| approved.digest.clone());
            (*requested(tx, &room.id, &approval)?.spec, digest)
        };
        let request = match serde_json::to_value(&spec) {
            Ok(Value::Object(fields)) => fields,
            Ok(_) | Err(_) => Map::new(),
        };
        Ok(Some(Self {
            approval: ApprovalView::of(room, &approval, digest),
            request,
            by_policy: approved.as_ref().is_some_and(|approved| approved.by_policy),
            modified: approved.map(|approved| approved.modified).unwrap_or_default(),
        }))
    }
}
