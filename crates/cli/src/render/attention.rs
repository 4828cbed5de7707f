//! What somebody should not forget, and where not to go.

use baton_app::{
    attention::Attention,
    commands::{envelope::RequestView, jobs::RadarFields, scope::ScopeView},
};
use baton_core::{
    job::{JobId, Status},
    runner::Blocked,
    time::Timestamp,
};
use serde::Serialize;

use super::{
    envelope::request_lines,
    message::subject,
    protocol::addressed,
    words::{ago, block, deadline, line},
};

/// As many messages without an answer are named.
const UNANSWERED_SHOWN: usize = 3;

/// What waits, with the commands that lead on. Nothing, if nothing does.
pub(crate) fn attention_page(attention: &Attention, now: Timestamp) -> String {
    if attention.is_empty() {
        return String::new();
    }
    let mut page = "\nFor you\n".to_owned();
    if attention.unseen + attention.to_accept > 0 {
        let counts = [(attention.unseen, "not seen"), (attention.to_accept, "to accept")];
        let said = counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
        page.push_str(&block("inbox", &format!("{}: baton inbox", said.collect::<Vec<_>>().join(", "))));
    }
    if !attention.unanswered.is_empty() {
        page.push_str(&block("sent", &unanswered(attention, now)));
    }
    let shown = |requests: &[RequestView], who: fn(&RequestView) -> &str| {
        let more = if requests.len() > UNANSWERED_SHOWN { "\n…" } else { "" };
        let requests = &requests[..requests.len().min(UNANSWERED_SHOWN)];
        request_lines(requests, who, now).join("\n") + more
    };
    if !attention.owed.is_empty() {
        let list = shown(&attention.owed, |request| &request.reply_to);
        page.push_str(&block("owed", &format!("you owe a response: baton inbox\n{list}")));
    }
    if !attention.awaited.is_empty() {
        let list = shown(&attention.awaited, |request| &request.to_agent);
        page.push_str(&block("awaited", &format!("you are owed a response: baton await …\n{list}")));
    }
    for asked in &attention.approvals {
        let (who, when) = (line(&asked.requested_by), ago(asked.requested_at, now));
        let said = format!(
            "{} {}, asked for by {who}, sent {when}: baton open {}",
            asked.approval,
            line(&asked.title),
            asked.approval
        );
        page.push_str(&block("approve", &said));
    }
    for task in &attention.tasks {
        page.push_str(&block("task", &format!("{} {}: baton task done {}", task.task, line(&task.title), task.task)));
    }
    for own in &attention.scopes {
        let bead = own.bead_id.as_ref().map_or_else(String::new, |bead| format!(" for {bead}"));
        let end = deadline(Some(own.expires_at), now);
        page.push_str(&block("scope", &format!("{}{bead}, {end}", line(&own.scope))));
    }
    page
}

/// As many scopes of others are listed.
const TAKEN_SHOWN: usize = 8;

/// The paths that others have reserved. Nothing, if there are none.
pub(crate) fn taken_page(scopes: &[ScopeView], now: Timestamp) -> String {
    let others: Vec<&ScopeView> = scopes.iter().filter(|scope| !scope.yours).collect();
    if others.is_empty() {
        return String::new();
    }
    let mut page = "\nReserved by others\n".to_owned();
    let width = others.iter().take(TAKEN_SHOWN).map(|scope| scope.scope.chars().count()).max().unwrap_or_default();
    for scope in others.iter().take(TAKEN_SHOWN) {
        let (path, owner) = (line(&scope.scope), line(&scope.owner_agent));
        let (liveness, end) = (scope.owner_liveness.as_str(), deadline(Some(scope.expires_at), now));
        page.push_str(&format!("  {path:<width$}  {owner}, {liveness}, {end}\n"));
    }
    if others.len() > TAKEN_SHOWN {
        page.push_str(&format!("  and {} more: baton scope status\n", others.len() - TAKEN_SHOWN));
    }
    page
}

/// How many jobs are not over, by what they want.
#[derive(Serialize)]
pub(crate) struct JobCounts {
    errors: usize,
    questions: usize,
    without_proof: usize,
    stale: usize,
    running: usize,
    queued: usize,
    /// Whether there are more than were counted. What wants somebody is counted first.
    has_more: bool,
    /// Jobs that nobody here can do, the first for each reason.
    blocked: Vec<BlockedJob>,
}

/// A job that nobody here can do.
#[derive(Serialize)]
struct BlockedJob {
    job: JobId,
    #[serde(flatten)]
    why: Blocked,
}

/// Most reasons that are told.
const REASONS: usize = 5;

/// The first job for each reason for which nobody here can do one.
fn blocked_jobs(radar: &RadarFields) -> Vec<BlockedJob> {
    let mut found: Vec<BlockedJob> = Vec::new();
    // The oldest is at the end of the radar.
    for job in radar.jobs.iter().rev().map(|row| &row.job) {
        if let Some(why) = job.blocked.clone().filter(|why| found.iter().all(|known| known.why != *why)) {
            found.push(BlockedJob { job: job.job, why });
        }
    }
    found.truncate(REASONS);
    found
}

impl JobCounts {
    /// The jobs on a radar. Nothing, if there are none.
    pub(crate) fn of(radar: &RadarFields) -> Option<Self> {
        let jobs = || radar.jobs.iter().map(|row| &row.job);
        (!radar.jobs.is_empty()).then(|| Self {
            errors: jobs().filter(|job| job.has_error).count(),
            questions: jobs().filter(|job| job.needs_manager).count(),
            without_proof: jobs().filter(|job| job.needs_proof).count(),
            stale: jobs().filter(|job| job.stale).count(),
            running: jobs().filter(|job| job.status == Status::Running).count(),
            queued: jobs().filter(|job| job.status == Status::Queued).count(),
            has_more: radar.has_more,
            blocked: blocked_jobs(radar),
        })
    }
}

/// What jobs want, in a line.
pub(crate) fn jobs_line(counts: &JobCounts) -> String {
    let said = [
        (counts.errors, "with an error"),
        (counts.questions, "with a question"),
        (counts.without_proof, "without proof"),
        (counts.stale, "without a runner"),
        (counts.running, "running"),
        (counts.queued, "queued"),
    ];
    let said = said.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    let more = if counts.has_more { " and more" } else { "" };
    let blocked = counts.blocked.iter().map(|BlockedJob { job, why }| {
        format!("  {} {job} {}\n    next: {}\n", why.sign().unwrap_or(' '), line(&why.reason), line(&why.next))
    });
    let blocked: String = blocked.collect();
    format!("\nJobs: {}{more}: baton radar\n{blocked}", said.collect::<Vec<_>>().join(", "))
}

fn unanswered(attention: &Attention, now: Timestamp) -> String {
    let mut text = "not accepted yet: baton inbox sent --waiting".to_owned();
    for sent in attention.unanswered.iter().take(UNANSWERED_SHOWN) {
        let (to, when) = (addressed(Some(&sent.to_agent)), ago(sent.sent_at, now));
        let about = subject(&sent.subject, sent.bead_id.as_ref());
        text.push_str(&format!("\n{} to {to}, sent {when}: {about}", sent.message));
    }
    if attention.unanswered.len() > UNANSWERED_SHOWN {
        text.push_str("\n…");
    }
    text
}
