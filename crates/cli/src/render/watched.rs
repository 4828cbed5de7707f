//! Jobs at work, with a bar for how far each is.

use baton_app::commands::jobs::JobView;
use baton_core::job::{Status, short_age};

use super::{
    job::{job_next, marker},
    words::line,
};

const BAR_CELLS: usize = 20;

/// How often a page is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// It is drawn again and again: the age is part of it.
    Live,
    /// Each new state is printed once.
    Printed,
}

/// Jobs that are watched: a bar and a line for each, and below it what it does or asks.
pub(crate) fn watched_jobs(jobs: &[JobView], detail: Detail) -> String {
    if jobs.is_empty() {
        return "No job runs or waits.\nnext: baton job create TITLE --prompt …\n".to_owned();
    }
    jobs.iter().map(|job| watched(job, detail)).collect()
}

fn watched(job: &JobView, detail: Detail) -> String {
    let age = (detail == Detail::Live).then(|| short_age(job.age_s));
    let facts: Vec<String> = job.progress.words().into_iter().chain(age).collect();
    let facts = if facts.is_empty() { String::new() } else { format!("  ({})", facts.join(", ")) };
    let mut text = format!("{} {} {} {}  {}{facts}\n", job.job, marker(job), bar(job), job.status, line(&job.title));
    let mut say = |what: &str, said: &str| text.push_str(&format!("    {what}{}\n", line(said)));
    for event in job.attention.iter().chain(&job.question) {
        say(&format!("{} {}: ", event.kind, event.reference), &event.message);
    }
    match (&job.progress.line, &job.summary) {
        (_, Some(summary)) => say("", summary),
        (Some(said), None) if job.status.is_active() => say("", said),
        _ => {}
    }
    if job.attention.is_some()
        && let Some(next) = job_next(job)
    {
        say("next: ", &next);
    }
    text
}

/// The percentage as a bar. A job that tells none has an empty one, and one that is done a full one.
fn bar(job: &JobView) -> String {
    let percent = match job.status {
        Status::Done => 100,
        _ => usize::from(job.progress.percent.unwrap_or(0)).min(100),
    };
    let full = percent * BAR_CELLS / 100;
    format!("[{}{}]", "█".repeat(full), "░".repeat(BAR_CELLS - full))
}
