//! A job on the radar: what it wants, what it is, who does it, and what was said last. One that asks is answered there.

use baton_app::{
    Failure,
    commands::jobs::{Open, OpenInput, OverviewJob, OverviewResult},
};
use baton_core::{
    ids::RoomId,
    job::{JobId, Kind, Marker, Priority, Progress, Status},
    runner::Blocked,
};
use maud::{Markup, html};

use super::counts::{badge, status_words};
use crate::web::{
    at::path,
    form::Form,
    look::Look,
    parts::{ago, copy, reference, room_name, until},
};

/// Questions that are looked up for one page.
const QUESTIONS: usize = 20;
/// Words of a job's thread among which its question is.
const WORDS: u32 = 10;

/// What a job asks, in full: what happened since may have hidden it.
pub(super) struct Question {
    room: RoomId,
    job: JobId,
    text: String,
}

impl Question {
    /// The questions of those that ask.
    pub(super) fn find(look: &Look<'_>, jobs: &[OverviewJob]) -> Result<Vec<Self>, Failure> {
        let asking = jobs.iter().filter(|job| job.marker == Some(Marker::Question)).take(QUESTIONS);
        let mut found = Vec::new();
        for OverviewJob { room_id: room, job, .. } in asking {
            let opened = look.ask::<Open>(OpenInput {
                room_id: room.clone(),
                job: *job,
                before: None,
                limit: Some(WORDS),
                without_progress: true,
                include_prompt: false,
            })?;
            let asked = opened.events.into_iter().find(|event| event.kind == Kind::Question);
            found.extend(asked.map(|event| Self { room: room.clone(), job: *job, text: event.message }));
        }
        Ok(found)
    }
}

/// All rows.
pub(super) fn table(look: &Look<'_>, seen: &OverviewResult, questions: &[Question], say_where: bool) -> Markup {
    html! {
        table.radar {
            thead {
                tr {
                    th scope="col" { "Needs" }
                    th scope="col" { "Job" }
                    th scope="col" { "Status" }
                    th scope="col" { "Runner" }
                    th scope="col" { "Last" }
                    th scope="col" { "Age" }
                }
            }
            tbody {
                @for job in &seen.jobs {
                    @let room = seen.rooms.iter().find(|room| room.room_id == job.room_id).filter(|_| say_where);
                    @let room = room.map(|room| room_name(room.name.as_deref(), room.canonical_path.as_deref(), &room.room_id));
                    @let question = questions.iter().find(|asked| asked.job == job.job && asked.room == job.room_id);
                    (row(look, job, room.as_deref(), question))
                }
            }
        }
    }
}

fn row(look: &Look<'_>, job: &OverviewJob, room: Option<&str>, question: Option<&Question>) -> Markup {
    let (room_id, id) = (job.room_id.as_str(), job.job.to_string());
    // The overview has the beginning of what was asked; here is room for all of it.
    let asked = question.map(|asked| asked.text.as_str());
    let said = asked.filter(|_| job.shown.kind == Kind::Question).unwrap_or(&job.shown.message);
    let hidden = job.question.as_ref().map(|event| asked.unwrap_or(&event.message));
    let sign = job.marker.map(Marker::sign).or(job.blocked.as_ref().and_then(Blocked::sign));
    let sign = sign.map_or(String::new(), |sign| sign.to_string());
    html! {
        tr id={ "job-" (room_id) "-" (id) } data-row data-job=(id) data-room=(room_id) data-marker=(sign) data-need=[job.marker] data-status=(job.status) {
            td.needs {
                @match (job.marker, &job.blocked) {
                    (Some(marker), _) => (badge(marker)),
                    (None, Some(_)) if sign.is_empty() => span.badge { "waits for a runner" },
                    (None, Some(_)) => span.badge.alarm { (sign) " blocked" },
                    (None, None) => span.quiet aria-label="nothing" { "–" },
                }
            }
            td.what {
                p { a.title href=(path(&["rooms", room_id, "jobs", &id])) { bdi { (job.title) } } }
                p.quiet {
                    span.ref { (id) (copy(&id, "ref")) } " · " (job.kind)
                    @if job.priority != Priority::Medium { " · " span.badge { (job.priority.as_str().to_lowercase()) " priority" } }
                    @if let Some(task) = job.task { " · " (reference(&job.room_id, &task.to_string())) }
                    @if let Some(anchor) = &job.anchor { " · " (reference(&job.room_id, anchor.as_str())) }
                    @if let Some(room) = room { " · in " a href=(path(&["rooms", room_id, "jobs"])) { bdi { (room) } } }
                }
            }
            td.status { span class={ "status " (job.status.as_str().to_lowercase()) } { (status_words(job.status)) } }
            td.runner {
                @match &job.runner_id {
                    Some(runner) => {
                        p { bdi { (runner) } }
                        p.quiet {
                            @if let Some(executor) = job.claim_executor { (executor) ", " }
                            @if let Some(end) = job.claim_expires_at { "claim " (until(look, end)) }
                        }
                    }
                    None => span.quiet { (job.executor) }
                }
            }
            td.last {
                (told(job.shown.kind, said))
                @if let Some(blocked) = &job.blocked {
                    p.blocked { bdi { (blocked.reason) } }
                    p.quiet { bdi { (blocked.next) } }
                }
                @if let Some(asked) = hidden { (told(Kind::Question, asked)) }
                (progress(&job.progress, job.status))
                @if let Some(marker) = job.marker { (act(look, job, marker)) }
            }
            td.age { (ago(look, job.created_at)) }
        }
    }
}

fn told(kind: Kind, said: &str) -> Markup {
    html! {
        p { span.quiet { (kind.as_str().replace('_', " ")) } @if kind != Kind::Created { span.said dir="auto" { (said) } } }
    }
}

/// How far a job is right now, and what it does.
pub(in crate::web::pages) fn progress(progress: &Progress, status: Status) -> Markup {
    html! {
        @if status.is_active() && !progress.is_empty() {
            p.quiet.progress {
                @if let Some(percent) = progress.percent { progress max="100" value=(percent) { (percent) " %" } " " }
                @if let Some(words) = progress.words() { (words) }
                @if let Some(line) = &progress.line { " " code dir="auto" { (line) } }
            }
        }
    }
}

/// What can be done about it at once.
fn act(look: &Look<'_>, job: &OverviewJob, marker: Marker) -> Markup {
    let id = job.job.to_string();
    match marker {
        Marker::Question | Marker::Error | Marker::Proof => {
            let (ask, label) = match marker {
                Marker::Question => ("Your answer", "Reply"),
                Marker::Proof => ("A ref that proves it, or what to do", "Send"),
                Marker::Error | Marker::Stale => ("What to do about it", "Send"),
            };
            let form = Form::of("jobs.message", format!("Told {id}."));
            form.class("inline").with("room_id", &job.room_id).with("job", &id).body(
                look,
                html! {
                    label { span.hidden { (ask) " for " (id) } input name="message" required maxlength="400" placeholder=(ask) autocomplete="off"; }
                    button type="submit" { (label) }
                },
            )
        }
        Marker::Stale => requeue(look, &job.room_id, &id),
    }
}

/// Has a job done again, for a reason.
pub(in crate::web::pages) fn requeue(look: &Look<'_>, room: &RoomId, id: &str) -> Markup {
    if !look.may_act() {
        return html! {};
    }
    let form = Form::of("jobs.requeue", format!("{id} waits for a runner again.")).class("stack");
    html! {
        details.act {
            summary { "Requeue" }
            (form.with("room_id", room).with("job", id).body(look, html! {
                label { span { "Reason" } input name="reason" required maxlength="400" placeholder="Why it is to be done again"; }
                p { button type="submit" { "Requeue " (id) } }
            }))
        }
    }
}
