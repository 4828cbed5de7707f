//! What a reference points to, whole.

use baton_app::commands::open::{
    JobLine, Opened, OpenedAnchor, OpenedArtifact, OpenedCard, OpenedEvent, OpenedJob, OpenedNote, OpenedPlan,
    OpenedRunner, OpenedTask, Passage, What,
};
use baton_core::{ids::AgentId, reference::Reference, runner::pointer, time::Timestamp};

use super::{
    approval::approval_page,
    envelope::envelope_page,
    event::{Names, event_line},
    job::{job_event, job_next, job_summary, refs},
    library::{anchor_lines, artifact_lines, card_lines},
    pack::pack_page,
    task::{task_next, task_summary},
    turn::{at_work, turn_page},
    words::{ago, block, columns, deadline, line},
};
use crate::{commands::surface::as_typed, ui::clean};

/// What a reference points to.
pub(crate) fn opened_page(opened: &Opened, now: Timestamp, you: &AgentId) -> String {
    let reference = &opened.reference;
    match &opened.what {
        What::Job(job) => job_page(job, now),
        What::JobEvent(event) => event_page(event, reference),
        What::Task(task) => task_with_all(task, now, you),
        What::Card(card) => card_page(card, reference, now),
        What::Plan(plan) => plan_page(plan, reference, now),
        What::Note(note) => note_page(note, reference, now),
        What::Anchor(anchor) => anchor_page(anchor, reference),
        What::Runner(runner) => runner_page(runner, now),
        What::Artifact(file) => artifact_page(file, reference, now),
        What::ContextPack(pack) => pack_page(pack, reference, now),
        What::Turn(turn) => turn_page(turn, now),
        What::Approval(approval) => approval_page(approval, now),
        What::Event(opened) => event_line(&opened.event, &Names::new()),
        What::Envelope(envelope) => envelope_page(envelope, &reference.to_string(), now),
    }
}

fn job_page(opened: &OpenedJob, now: Timestamp) -> String {
    let events: String = opened.events.iter().map(job_event).collect();
    let next = job_next(&opened.job).map_or_else(String::new, |next| format!("next: {next}\n"));
    job_summary(&opened.job, now)
        + &at_work(&opened.agent, now)
        + &part("Events, newest first", &events)
        + &part("Cards", &card_lines(&opened.cards))
        + &part("Files", &artifact_lines(&opened.artifacts))
        + &more(&opened.more)
        + &next
}

fn event_page(opened: &OpenedEvent, reference: &Reference) -> String {
    let (event, status) = (&opened.event, opened.status);
    let mut page = format!("{reference}  {}\n", event.kind);
    page.push_str(&block("job", &format!("{} ({status})", line(&opened.title))));
    page.push_str(&block("by", &format!("{} at {}", event.by, event.at)));
    if let Some(percent) = event.percent {
        page.push_str(&block("done", &format!("{percent}%")));
    }
    if !event.refs.is_empty() {
        page.push_str(&block("refs", &refs(&event.refs)));
    }
    page + &passage(&opened.text, reference)
}

fn task_with_all(opened: &OpenedTask, now: Timestamp, you: &AgentId) -> String {
    task_summary(&opened.task, now)
        + &part("Jobs", &job_lines(&opened.jobs))
        + &part("Cards", &card_lines(&opened.cards))
        + &more(&opened.more)
        + &task_next(&opened.task, you)
}

fn card_page(opened: &OpenedCard, reference: &Reference, now: Timestamp) -> String {
    let card = &opened.card;
    let mut page = card_lines(std::slice::from_ref(card));
    page.push_str(&block("by", &format!("{}, created {}", card.created_by, ago(card.created_at, now))));
    if !opened.refs.is_empty() {
        page.push_str(&block("refs", &refs(&opened.refs)));
    }
    page + &passage(&opened.text, reference)
}

fn plan_page(opened: &OpenedPlan, reference: &Reference, now: Timestamp) -> String {
    let plan = &opened.plan;
    let mut page = format!("{reference}  {}\n", line(&plan.title));
    page.push_str(&block("by", &format!("{}, created {}", plan.created_by, ago(plan.created_at, now))));
    if !opened.tasks.is_empty() {
        let tasks: Vec<_> = opened.tasks.iter().map(ToString::to_string).collect();
        page.push_str(&block("tasks", &tasks.join(", ")));
    }
    page + &passage(&opened.text, reference)
}

fn note_page(opened: &OpenedNote, reference: &Reference, now: Timestamp) -> String {
    let head = format!("{reference}  by {}, created {}\n", opened.by, ago(opened.at, now));
    head + &passage(&opened.text, reference)
}

fn anchor_page(opened: &OpenedAnchor, reference: &Reference) -> String {
    let head = anchor_lines(std::slice::from_ref(&opened.anchor));
    head + &passage(&opened.text, reference)
        + &part("Jobs", &job_lines(&opened.jobs))
        + &part("Cards", &card_lines(&opened.cards))
        + &more(&opened.more)
}

fn runner_page(opened: &OpenedRunner, now: Timestamp) -> String {
    let lease = if opened.retired { "signed off".to_owned() } else { deadline(Some(opened.lease_expires_at), now) };
    let mut page = format!("{}  {}\n", pointer(&opened.runner_id), opened.standing);
    page.push_str(&block("lease", &lease));
    page.push_str(&block("by", opened.agent_id.as_str()));
    if let Some(capabilities) = opened.capabilities.as_ref().and_then(|all| serde_json::to_value(all).ok()) {
        for (what, value) in capabilities.as_object().into_iter().flatten() {
            page.push_str(&block("can", &format!("{what}: {value}")));
        }
    }
    page + &part("Jobs", &job_lines(&opened.jobs))
}

fn artifact_page(opened: &OpenedArtifact, reference: &Reference, now: Timestamp) -> String {
    let file = &opened.artifact;
    let mut page = format!("{reference}  {}\n", line(&file.name));
    let from = file.job.map_or_else(String::new, |job| format!(" for {job}"));
    page.push_str(&block("by", &format!("{}{from}, created {}", file.created_by, ago(file.created_at, now))));
    if let Some(node) = &file.node {
        let turn = file.turn.map_or_else(String::new, |turn| format!(", {turn}"));
        page.push_str(&block("of", &format!("{node}{turn}")));
    }
    page.push_str(&block("sha256", &file.sha256));
    if let Some(why) = &opened.unavailable {
        page.push_str(&block("not here", why));
    }
    page + &opened.content.as_ref().map_or_else(String::new, |content| passage(content, reference))
}

/// Jobs in a line each, as they are shown below what they belong to.
fn job_lines(jobs: &[JobLine]) -> String {
    let row = |job: &JobLine| {
        let marker = job.marker.unwrap_or(' ').to_string();
        [job.job.to_string(), job.status.to_string(), marker, line(&job.title)]
    };
    columns(&jobs.iter().map(row).collect::<Vec<_>>())
}

/// Lines under a heading. Nothing, if there are none.
fn part(heading: &str, lines: &str) -> String {
    if lines.is_empty() { String::new() } else { format!("\n{heading}\n{lines}") }
}

/// A text, which part of the whole it is, and where it goes on.
fn passage(passage: &Passage, reference: &Reference) -> String {
    if passage.text.is_empty() {
        return String::new();
    }
    let (text, bytes) = (clean(&passage.text), passage.bytes);
    let before = match passage.from {
        0 => String::new(),
        from => format!("[from byte {from} of {bytes}; all of it: baton open {reference} --offset 0]\n"),
    };
    let after = passage
        .next_offset
        .map_or_else(String::new, |at| format!("[{bytes} bytes in all; more: baton open {reference} --offset {at}]\n"));
    format!("\n{before}{}\n{after}", text.trim_end_matches('\n'))
}

fn more(left_out: &[String]) -> String {
    let lines: String = left_out.iter().map(|what| format!("{}\n", as_typed(what))).collect();
    part("Also", &lines)
}
