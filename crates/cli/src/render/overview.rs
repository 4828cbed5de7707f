//! All jobs at a glance, as a person reads them.

use baton_app::commands::jobs::{OverviewCounts, OverviewJob, OverviewResult, OverviewRunner};
use baton_core::{
    job::{Marker, Status},
    runner::Blocked,
    time::Timestamp,
};

use super::words::{columns, deadline, line};

/// Counts, jobs, runners and what does not fit.
pub(crate) fn jobs_overview(seen: &OverviewResult, now: Timestamp) -> String {
    let mut page = seen.counts.as_ref().map_or_else(String::new, counted);
    let several = seen.rooms.len() > 1;
    let row = |job: &OverviewJob| {
        let room = if several { format!("{}  ", job.room_id) } else { String::new() };
        let sign = job.marker.map(Marker::sign).or(job.blocked.as_ref().and_then(Blocked::sign));
        let marker = sign.unwrap_or(' ').to_string();
        [format!("{room}{}", job.job), job.status.to_string(), marker, line(&job.title)]
    };
    match seen.jobs.as_slice() {
        [] => page.push_str("No job is like that.\n"),
        jobs => page.push_str(&columns(&jobs.iter().map(row).collect::<Vec<_>>())),
    }
    if let Some(cursor) = seen.cursor {
        page.push_str(&format!("more: the same with --cursor {cursor}\n"));
    }
    let mut reasons: Vec<&Blocked> = Vec::new();
    for job in &seen.jobs {
        if let Some(blocked) = job.blocked.as_ref().filter(|blocked| !reasons.contains(blocked)) {
            reasons.push(blocked);
            let sign = blocked.sign().map_or_else(String::new, |sign| format!("{sign} "));
            let (reason, next) = (line(&blocked.reason), line(&blocked.next));
            page.push_str(&format!("{sign}{} {reason}\nnext: {next}\n", job.job));
        }
    }
    for runner in &seen.runners {
        page.push_str(&runner_line(runner, now));
    }
    for diag in &seen.diagnostics {
        let job = diag.job.map_or_else(String::new, |job| format!(" ({job})"));
        let runner = diag.runner_id.as_ref().map_or_else(String::new, ToString::to_string);
        page.push_str(&format!("! {runner}{job} {}\n", diag.about));
    }
    for room in seen.rooms.iter().filter_map(|room| room.cmd.as_ref()) {
        page.push_str(&format!("Jobs wait, and no runner is there.\nnext: {room}\n"));
    }
    page
}

fn counted(counts: &OverviewCounts) -> String {
    let number = |count: u64| if count >= counts.counted_to { format!("{count}+") } else { count.to_string() };
    let wants = Marker::ALL.iter().map(|marker| (counts.of_marker(*marker), wanted(*marker)));
    let wants: Vec<String> =
        wants.filter(|(count, _)| *count > 0).map(|(count, what)| format!("{} {what}", number(count))).collect();
    let statuses = Status::ALL.iter().map(|status| (counts.of_status(*status), status.as_str().to_lowercase()));
    let statuses: Vec<String> =
        statuses.filter(|(count, _)| *count > 0).map(|(count, what)| format!("{} {what}", number(count))).collect();
    let wants = if wants.is_empty() { String::new() } else { format!("Jobs that want you: {}\n", wants.join(", ")) };
    match statuses.as_slice() {
        [] => "No jobs.\n".to_owned(),
        statuses => format!("{wants}Jobs: {}\n", statuses.join(", ")),
    }
}

const fn wanted(marker: Marker) -> &'static str {
    match marker {
        Marker::Error => "with an error",
        Marker::Question => "with a question",
        Marker::Proof => "without proof",
        Marker::Stale => "without a runner",
    }
}

fn runner_line(runner: &OverviewRunner, now: Timestamp) -> String {
    let at = match runner.jobs.as_slice() {
        [] => String::new(),
        jobs => format!(" at {}", jobs.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    };
    let lease = deadline(Some(runner.lease_expires_at), now);
    format!("runner {} is {}{at}, its lease {lease}\n", runner.runner_id, runner.status)
}
