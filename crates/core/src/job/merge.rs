//! One report of what several jobs did.
//!
//! The same jobs give the same bytes: they come in the order of their numbers, and nothing in it is a time. It is made of
//! lines, one thing each, so that two reports can be compared; what does not fit is left out and said so.

use super::{Job, JobId, Status, state::cut};
use crate::{limits, reference::Reference, task::TaskId};

/// A job, and what it asks.
#[derive(Clone, Debug)]
pub struct Part {
    /// The job.
    pub job: Job,
    /// What it asked and nobody has answered.
    pub question: Option<String>,
}

/// How much is said of each job.
#[derive(Clone, Copy)]
struct Budget {
    title: usize,
    summary: usize,
    refs: usize,
}

/// From all there is to hardly anything.
const BUDGETS: [Budget; 6] = [
    Budget { title: limits::TITLE_CHARS, summary: limits::JOB_SUMMARY_CHARS, refs: limits::REFERENCES },
    Budget { title: limits::TITLE_CHARS, summary: 400, refs: 16 },
    Budget { title: 120, summary: 240, refs: 8 },
    Budget { title: 80, summary: 120, refs: 4 },
    Budget { title: 60, summary: 60, refs: 2 },
    Budget { title: 40, summary: 40, refs: 1 },
];

/// What a report is called unless its author says so.
pub fn title(jobs: &[JobId]) -> String {
    let named: Vec<String> = jobs.iter().take(8).map(JobId::to_string).collect();
    let more = jobs.len().saturating_sub(named.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("Merge report: {}{more}", named.join(", "))
}

/// The report, within the bounds of a card.
pub fn report(title: &str, task: Option<TaskId>, parts: &[Part]) -> String {
    let fits = |text: &String| text.len() <= limits::CARD_BYTES;
    let whole = BUDGETS.iter().map(|budget| page(title, task, parts, *budget)).find(fits);
    whole.unwrap_or_else(|| shortened(&page(title, task, parts, BUDGETS[BUDGETS.len() - 1])))
}

fn page(title: &str, task: Option<TaskId>, parts: &[Part], budget: Budget) -> String {
    let mut lines = vec![format!("# {title}"), String::new()];
    lines.extend(task.map(|task| format!("Task: {task}")));
    let status = |part: &Part| format!("{} {}", part.job.id, part.job.status);
    lines.push(format!("Jobs: {}", parts.iter().map(status).collect::<Vec<_>>().join(", ")));
    let sections: [(&str, fn(&Part, Budget) -> Vec<String>, &str); 4] = [
        ("What changed", changed, "- nothing yet"),
        ("What was verified", verified, "- nothing"),
        ("Where it is kept", kept, "- nowhere"),
        ("Open risks and next actions", open, "- none"),
    ];
    for (heading, section, nothing) in sections {
        lines.extend([String::new(), format!("## {heading}"), String::new()]);
        let said: Vec<String> = parts.iter().flat_map(|part| section(part, budget)).collect();
        if said.is_empty() {
            lines.push(nothing.to_owned());
        }
        lines.extend(said);
    }
    lines.push(String::new());
    lines.join("\n")
}

fn changed(Part { job, .. }: &Part, budget: Budget) -> Vec<String> {
    let summary = job.summary.as_deref().filter(|_| job.status == Status::Done).map(one_line);
    let summary = summary.map_or(String::new(), |summary| format!(": {}", cut(&summary, budget.summary)));
    if job.status != Status::Done {
        return Vec::new();
    }
    vec![format!("- {} {}{summary}", job.id, cut(&job.title, budget.title))]
}

fn verified(Part { job, .. }: &Part, budget: Budget) -> Vec<String> {
    listed(job, budget, |reference| !reference.is_stable())
}

fn kept(Part { job, .. }: &Part, budget: Budget) -> Vec<String> {
    listed(job, budget, Reference::is_stable)
}

/// The refs of a job that are `wanted`, a line each.
fn listed(job: &Job, budget: Budget, wanted: impl Fn(&Reference) -> bool) -> Vec<String> {
    let refs: Vec<&Reference> = job.refs.iter().filter(|reference| wanted(reference)).collect();
    let mut lines: Vec<String> =
        refs.iter().take(budget.refs).map(|reference| format!("- {}: {reference}", job.id)).collect();
    let more = refs.len().saturating_sub(budget.refs);
    if more > 0 {
        lines.push(format!("- {}: {more} more, open {}", job.id, job.last_ref()));
    }
    lines
}

fn open(Part { job, question }: &Part, budget: Budget) -> Vec<String> {
    let (id, last, title) = (job.id, job.last_ref(), cut(&job.title, budget.title));
    let summary = || cut(&one_line(job.summary.as_deref().unwrap_or("no reason given")), budget.summary);
    let mut lines = Vec::new();
    match job.status {
        Status::Failed => {
            lines.push(format!("- {id} FAILED ({title}): {}; open {last}, then requeue or drop it", summary()))
        }
        Status::Canceled => lines.push(format!("- {id} CANCELED ({title}): not done")),
        Status::Queued | Status::Running => {
            lines.push(format!("- {id} {} ({title}): not done yet; open {last}", job.status))
        }
        Status::Done if !job.is_proven_by(&job.refs) => {
            lines.push(format!("- {id} DONE ({title}): nothing that is kept shows it; open {last}"));
        }
        Status::Done => {}
    }
    if let Some(question) = question {
        let question = cut(&one_line(question), budget.summary);
        lines.push(format!("- {id} asks: {question}; answer with jobs message job={id}"));
    }
    if job.has_error() {
        lines.push(format!("- {id} met an error that nobody has answered to; open {last}"));
    }
    lines
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// As many whole lines as a card holds, with a last one that says that there were more.
fn shortened(text: &str) -> String {
    const CUT: &str = "[cut: merge fewer jobs at a time]\n";
    let mut end = limits::CARD_BYTES - CUT.len();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let end = text[..end].rfind('\n').map_or(0, |newline| newline + 1);
    format!("{}{CUT}", &text[..end])
}
