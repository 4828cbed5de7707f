//! Requests for agents as callers see them.

use baton_core::{
    ids::AgentId,
    job::JobId,
    room::Room,
    spawn::{Approval, ApprovalId, ApprovalStatus, SpecDigest},
    time::Timestamp,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::commands::envelope::called;

/// A request for an agent, less what it asks for in full: `open` shows that.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalView {
    pub approval: ApprovalId,
    pub status: ApprovalStatus,
    pub title: String,
    /// What people call who asked.
    pub requested_by: String,
    pub requested_by_agent_id: AgentId,
    pub requested_at: Timestamp,
    /// The job that came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
    /// What people call who decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// While it is pending: what to approve it with, so that nothing else is approved than what is shown. Then: of what
    /// was approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<SpecDigest>,
}

impl ApprovalView {
    pub(crate) fn of(room: &Room, approval: &Approval, digest: Option<SpecDigest>) -> Self {
        Self {
            approval: approval.id,
            status: approval.status,
            title: approval.title.clone(),
            requested_by: called(room, &approval.requested_by),
            requested_by_agent_id: approval.requested_by.clone(),
            requested_at: approval.requested_at,
            job: approval.job,
            decided_by: approval.decided_by.as_ref().map(|by| called(room, by)),
            decided_at: approval.decided_at,
            reason: approval.reason.clone(),
            digest,
        }
    }
}
