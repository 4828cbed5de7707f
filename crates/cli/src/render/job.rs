//! Jobs: in a line each, one of them whole, and what happened to it.

use baton_app::commands::jobs::{DelegateResult, Happened, JobEvent, JobView, OpenResult, ShownEvent};
use baton_core::{
    job::{Kind, Priority, Proven, Standing, Status},
    reference::Reference,
    runner::Blocked,
    time::Timestamp,
};
use serde_json::Value;

use super::{
    turn::at_work,
    words::{ago, block, columns, deadline, line},
};
use crate::ui::clean;

/// Jobs, a line each.
pub(crate) fn job_lines(jobs: &[JobView]) -> String {
    let row = |job: &JobView| {
        let priority = if job.priority == Priority::Medium { String::new() } else { format!("{}  ", job.priority) };
        let links = links(job).map_or_else(String::new, |links| format!("  ({links})"));
        [
            job.job.to_string(),
            job.status.to_string(),
            marker(job).to_string(),
            format!("{priority}{}{links}", line(&job.title)),
        ]
    };
    columns(&jobs.iter().map(row).collect::<Vec<_>>())
}

/// How a job stands after something happened to it, and what to do about it.
pub(crate) fn job_changed(happened: &Happened) -> String {
    let job = &happened.job;
    let noted = happened.reference.as_ref().map_or_else(String::new, |reference| format!(" ({reference})"));
    format!("{} is {}: {}{noted}\n{}", job.job, job.status, line(&job.title), next_line(job))
}

/// The same for a job that came with a task.
pub(crate) fn job_delegated(delegated: &DelegateResult) -> String {
    let job = &delegated.job;
    let (task, reference) = (delegated.task, &delegated.reference);
    format!("{} is {} for {task}: {} ({reference})\n{}", job.job, job.status, line(&job.title), next_line(job))
}

/// A job, less what happened to it.
pub(crate) fn job_summary(job: &JobView, now: Timestamp) -> String {
    let mut page = format!("{}  {}\n", job.job, line(&job.title));
    page.push_str(&block("status", &format!("{}, changed {}", job.status, ago(job.updated_at, now))));
    for (wants, event) in wants(job) {
        let said = event.map_or_else(String::new, |event| format!(": {} ({})", line(&event.message), event.reference));
        page.push_str(&block("wants", &format!("{wants}{said}")));
    }
    if let Some(blocked) = &job.blocked {
        let sign = blocked.sign().map_or_else(String::new, |sign| format!("{sign} "));
        page.push_str(&block("blocked", &format!("{sign}{}", line(&blocked.reason))));
        page.push_str(&block("do", &line(&blocked.next)));
    }
    if let Some(runner) = &job.runner_id {
        let end = deadline(job.claim_expires_at_ms.map(Timestamp::from_millis), now);
        let with = job.claim_executor.map_or_else(String::new, |executor| format!(" with {executor}"));
        page.push_str(&block("runner", &format!("{runner}{with}, revision {}, which {end}", job.revision)));
    }
    if let Some(progress) = progress(job) {
        page.push_str(&block("progress", &progress));
    }
    if let Some(links) = links(job) {
        page.push_str(&block("for", &links));
    }
    page.push_str(&block("sort", &format!("{}, priority {}", line(&job.kind), job.priority)));
    for (key, value) in job.meta.iter().filter(|(key, value)| !is_usual(key, value)) {
        page.push_str(&block("meta", &format!("{key}: {}", said(value))));
    }
    if let Some(summary) = &job.summary {
        page.push_str(&block("summary", summary));
    }
    if !job.refs.is_empty() {
        page.push_str(&block("refs", &refs(&job.refs)));
    }
    if !job.proof.is_empty() {
        page.push_str(&block("proof", &proof(&job.proof)));
    }
    page.push_str(&block("by", &format!("{}, created {}", job.created_by, ago(job.created_at, now))));
    page
}

/// A job, whole.
pub(crate) fn job_page(opened: &OpenResult, now: Timestamp) -> String {
    let mut page = job_summary(&opened.job, now) + &at_work(&opened.agent, now);
    if let Some(prompt) = &opened.prompt {
        page.push_str(&format!("\n{}\n", clean(prompt)));
    }
    page.push('\n');
    opened.events.iter().for_each(|event| page.push_str(&job_event(event)));
    if let Some(before) = opened.before {
        page.push_str(&format!("more: baton job open {} --before {before}\n", opened.job.job));
    }
    page + &next_line(&opened.job)
}

/// Something that happened to a job.
pub(crate) fn job_event(event: &JobEvent) -> String {
    let percent = event.percent.map_or_else(String::new, |percent| format!(" ({percent}%)"));
    let message = match event.kind {
        Kind::Claimed | Kind::Reclaimed => format!("for {}", line(&event.message)),
        _ => clean(&event.message).replace('\n', "\n    "),
    };
    let (reference, at, kind, by) = (&event.reference, event.at, event.kind.as_str(), &event.by);
    let mut text = format!("{reference}  {at}  {kind:<10}  {by}{percent}: {message}\n");
    if !event.refs.is_empty() {
        text.push_str(&format!("    refs: {}\n", refs(&event.refs)));
    }
    // A claim's facts are in its message and in the job.
    if !matches!(event.kind, Kind::Claimed) {
        for (key, value) in &event.meta {
            text.push_str(&format!("    {}: {}\n", line(key), line(&said(value))));
        }
    }
    text
}

/// What leads on from how a job stands, as a command.
pub(crate) fn job_next(job: &JobView) -> Option<String> {
    let id = job.job;
    match job.status {
        // An answer settles an error as well.
        _ if job.needs_manager => Some(format!("baton radar --reply {id} \"…\"")),
        _ if job.has_error => Some(format!("baton job open {id}, then baton job message {id} \"…\"")),
        _ if job.needs_proof => Some(format!("baton job message {id} \"…\" --ref CARD-…")),
        _ if job.stale => Some(format!("baton job claim {id} --allow-stale, or baton job requeue {id} --reason …")),
        Status::Queued => Some(job.blocked.as_ref().map_or("baton radar".to_owned(), |blocked| blocked.next.clone())),
        Status::Running => Some(format!("baton job tail {id} --follow")),
        Status::Done => job.refs.iter().find(|one| one.is_stable()).map(|one| format!("baton open {one}")),
        Status::Failed => Some(format!("baton job requeue {id} --reason …")),
        Status::Canceled => None,
    }
}

fn next_line(job: &JobView) -> String {
    job_next(job).map_or_else(String::new, |next| format!("next: {next}\n"))
}

/// What a job wants of whoever looks, as on the radar.
pub(super) fn marker(job: &JobView) -> char {
    match () {
        () if job.has_error => '!',
        () if job.needs_manager => '?',
        () if job.needs_proof => '!',
        () if job.stale => '~',
        () => job.blocked.as_ref().and_then(Blocked::sign).unwrap_or(' '),
    }
}

/// Everything that a job wants, and the event that asks for it.
fn wants(job: &JobView) -> Vec<(&'static str, Option<&ShownEvent>)> {
    let first = match () {
        () if job.has_error => Some("! somebody to look at its error"),
        () if job.needs_manager => Some("? an answer to its question"),
        () if job.needs_proof => Some("! proof of what was done"),
        () if job.stale => Some("~ another runner: its claim ran out"),
        () => None,
    };
    let first = first.map(|wants| (wants, job.attention.as_ref()));
    let question = job.question.as_ref().map(|asked| ("? an answer to its question", Some(asked)));
    first.into_iter().chain(question).collect()
}

/// How far a job is right now, and what it does.
fn progress(job: &JobView) -> Option<String> {
    let words = job.progress.words();
    let said = job.progress.line.as_deref().map(line);
    let parts: Vec<String> = words.into_iter().chain(said).collect();
    (!parts.is_empty()).then(|| parts.join(": "))
}

/// What a job belongs to.
fn links(job: &JobView) -> Option<String> {
    let task = job.task.map(|task| task.to_string());
    let links: Vec<_> = task.into_iter().chain(job.anchor.as_ref().map(ToString::to_string)).collect();
    (!links.is_empty()).then(|| links.join(", "))
}

/// How each ref of a job that is done stands.
fn proof(proof: &[Proven]) -> String {
    let one = |proven: &Proven| {
        let stands = match proven.standing {
            Standing::Made => "made in this job",
            Standing::Manager => "named by a manager",
            Standing::Seen => "seen to run",
            Standing::Claimed => "claimed, not seen",
            Standing::Failed => "seen to fail",
        };
        format!("{} ({stands})", line(&proven.reference.to_string()))
    };
    proof.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// References, which are one line each.
pub(super) fn refs(refs: &[Reference]) -> String {
    refs.iter().map(|reference| line(&reference.to_string())).collect::<Vec<_>>().join(", ")
}

/// Whether nothing in particular was asked for.
fn is_usual(key: &str, value: &Value) -> bool {
    matches!((key, value.as_str()), ("executor", Some("auto")) | ("isolation", Some("workspace")))
}

fn said(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
