//! Requests for further agents.

use baton_app::commands::{open::OpenedApproval, spawn::ApprovalView};
use baton_core::time::Timestamp;
use serde_json::Value;

use super::words::{ago, block, columns, line};
use crate::ui::clean;

/// Requests, a line each.
pub(crate) fn approval_lines(approvals: &[ApprovalView]) -> String {
    let row = |approval: &ApprovalView| {
        let job = approval.job.map_or_else(String::new, |job| job.to_string());
        let by = format!("by {}", line(&approval.requested_by));
        let digest = approval.digest.as_ref().map_or_else(String::new, |digest| line(&digest.to_string()));
        [approval.approval.to_string(), approval.status.to_string(), job, line(&approval.title), by, digest]
    };
    columns(&approvals.iter().map(row).collect::<Vec<_>>())
}

/// A request, whole, and how to decide on it.
pub(super) fn approval_page(opened: &OpenedApproval, now: Timestamp) -> String {
    let mut page = approval_facts(opened, now);
    if opened.approval.decided_at.is_none() {
        page.push_str(&format!("next: baton approval approve {0}, or deny or modify it\n", opened.approval.approval));
    }
    page
}

/// A request, whole.
pub(crate) fn approval_facts(opened: &OpenedApproval, now: Timestamp) -> String {
    let approval = &opened.approval;
    let mut page = format!("{}  {}: {}\n", approval.approval, approval.status, line(&approval.title));
    let asked = format!("{}, created {}", line(&approval.requested_by), ago(approval.requested_at, now));
    page.push_str(&block("by", &asked));
    if let (Some(by), Some(at)) = (&approval.decided_by, approval.decided_at) {
        let how = if opened.by_policy { ", by the room's policy" } else { "" };
        page.push_str(&block("decided", &format!("by {}{how}, {}", line(by), ago(at, now))));
    }
    for (label, text) in [("reason", &approval.reason), ("changed", &changed(opened))] {
        if let Some(text) = text {
            page.push_str(&block(label, &clean(text)));
        }
    }
    if let Some(job) = approval.job {
        page.push_str(&block("job", &job.to_string()));
    }
    let request = &opened.request;
    let said = |value: &Value| match value {
        Value::String(text) => clean(text),
        other => clean(&other.to_string()),
    };
    for field in ["role", "kind", "priority", "task", "anchor", "grants", "context_ref"] {
        if let Some(value) = request.get(field).filter(|value| **value != serde_json::json!({})) {
            page.push_str(&block(field, &said(value)));
        }
    }
    for (label, value) in [("with", request.get("routing")), ("first", request.get("payload"))] {
        page.push_str(&block(label, &value.map_or_else(String::new, said)));
    }
    page.push_str(&block("prompt", &request.get("prompt").map_or_else(String::new, said)));
    if let Some(digest) = &approval.digest {
        page.push_str(&block("digest", &clean(&digest.to_string())));
    }
    page
}

fn changed(opened: &OpenedApproval) -> Option<String> {
    (!opened.modified.is_empty()).then(|| opened.modified.join(", "))
}
