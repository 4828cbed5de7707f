//! Jobs at work, with a bar for how far each is.

use baton_app::commands::jobs::JobView;
use baton_core::job::{Status, short_age};

use super::{
    job::{job_next, marker},
    words::line,
};

/// The cells of a bar, and those where a window has few columns.
const BAR_CELLS: usize = 20;
const SHORT_BAR_CELLS: usize = 10;
const FEW_COLUMNS: usize = 100;

/// Characters of a title that are shown however narrow the window is.
const TITLE_CHARS: usize = 8;

/// The ages of jobs on a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ages {
    Shown,
    /// Two pages that differ only by the time that has passed are equal.
    Hidden,
}

/// Jobs that are watched: a bar and a line for each, and below it the last line of output, or the question. Titles and
/// output are shortened to `columns`; numbers, questions and commands are whole.
pub(crate) fn watched_jobs(jobs: &[JobView], ages: Ages, columns: Option<usize>) -> String {
    if jobs.is_empty() {
        return "No job runs or waits.\nnext: baton job create TITLE --prompt …\n".to_owned();
    }
    jobs.iter().map(|job| watched(job, ages, columns)).collect()
}

fn watched(job: &JobView, ages: Ages, columns: Option<usize>) -> String {
    let age = (ages == Ages::Shown).then(|| short_age(job.age_s));
    let facts: Vec<String> = job.progress.words().into_iter().chain(age).collect();
    let facts = if facts.is_empty() { String::new() } else { format!("  ({})", facts.join(", ")) };
    let cells = if columns.is_some_and(|columns| columns < FEW_COLUMNS) { SHORT_BAR_CELLS } else { BAR_CELLS };
    let head = format!("{} {} {} {}  ", job.job, marker(job), bar(job, cells), job.status);
    let besides = head.chars().count() + facts.chars().count();
    let room = columns.map(|columns| columns.saturating_sub(besides).max(TITLE_CHARS));
    let mut text = format!("{head}{}{facts}\n", shortened(line(&job.title), room));
    let mut say = |what: &str, said: &str| text.push_str(&format!("    {what}{}\n", line(said)));
    for event in job.attention.iter().chain(&job.question) {
        say(&format!("{} {}: ", event.kind, event.reference), &event.message);
    }
    match (&job.progress.line, &job.summary) {
        (_, Some(summary)) => say("", summary),
        (Some(said), None) if job.status.is_active() => {
            say("", &shortened(line(said), columns.map(|columns| columns.saturating_sub(4))));
        }
        _ => {}
    }
    if job.attention.is_some()
        && let Some(next) = job_next(job)
    {
        say("next: ", &next);
    }
    text
}

/// `text` in at most so many characters.
fn shortened(text: String, most: Option<usize>) -> String {
    match most {
        Some(most) if text.chars().count() > most => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
        _ => text,
    }
}

/// The percentage as a bar. A job that tells none has an empty one, and one that is done a full one.
fn bar(job: &JobView, cells: usize) -> String {
    let percent = match job.status {
        Status::Done => 100,
        _ => usize::from(job.progress.percent.unwrap_or(0)).min(100),
    };
    let full = percent * cells / 100;
    format!("[{}{}]", "█".repeat(full), "░".repeat(cells - full))
}
