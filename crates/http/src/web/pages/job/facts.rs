//! What a job is and how it stands, and what can be done with it.

use baton_core::{
    job::{Marker, Status},
    runner::pointer,
    time::Timestamp,
};
use maud::{Markup, html};
use serde_json::Value;

use super::page::Seen;
use crate::web::{
    form::Form,
    look::Look,
    pages::jobs::{badge, progress, requeue, status_words},
    parts::{agent, ago, cli, copy, prose, raw, reference, until},
};

/// What a job wants of whoever looks. The claim may run out while nobody writes.
fn marker(look: &Look<'_>, seen: &Seen) -> Option<Marker> {
    let job = &seen.job;
    let stale = job.stale
        || job.claim_expires_at_ms.is_some_and(|end| job.status == Status::Running && end <= look.now.as_millis());
    match () {
        () if job.has_error => Some(Marker::Error),
        () if job.needs_manager => Some(Marker::Question),
        () if job.needs_proof => Some(Marker::Proof),
        () if stale => Some(Marker::Stale),
        () => None,
    }
}

/// A note of the job, if it is a word.
fn note<'a>(seen: &'a Seen, key: &str) -> Option<&'a str> {
    seen.job.meta.get(key).and_then(Value::as_str)
}

pub(super) fn facts(look: &Look<'_>, seen: &Seen) -> Markup {
    let (job, room) = (&seen.job, &seen.room);
    let id = job.job.to_string();
    let expected: Vec<&str> = job
        .meta
        .get("expected_artifacts")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let grants = job.meta.get("grants").and_then(Value::as_object);
    let granted: Vec<&str> = grants
        .into_iter()
        .flatten()
        .filter(|(_, said)| **said == Value::Bool(true))
        .map(|(name, _)| name.as_str())
        .collect();
    let asked: Vec<&str> =
        ["executor", "executor_profile", "executor_model"].into_iter().filter_map(|key| note(seen, key)).collect();
    html! {
        h2.hidden { "The job" }
        div.card data-status=(job.status) data-marker=[marker(look, seen).map(|marker| marker.sign().to_string())] {
            p.tools {
                span class={ "status " (job.status.as_str().to_lowercase()) } { (status_words(job.status)) }
                @if let Some(marker) = marker(look, seen) { (badge(marker)) }
                b { bdi { (job.title) } } (copy(&id, "ref"))
            }
            dl.job-facts {
                dt { "Kind" } dd { (job.kind) ", " (job.priority.as_str().to_lowercase()) " priority" }
                @if let Some(task) = job.task { dt { "Task" } dd { (reference(room, &task.to_string())) } }
                @if let Some(anchor) = &job.anchor { dt { "Anchor" } dd { (reference(room, anchor.as_str())) } }
                dt { "Asked by" } dd { (agent(room, &seen.names, &job.created_by)) ", " (ago(look, job.created_at)) }
                @if let Some(parent) = note(seen, "parent").and_then(|parent| parent.parse().ok()) { dt { "For" } dd { (agent(room, &seen.names, &parent)) } }
                dt { "With" } dd { (asked.join(", ")) @if let Some(role) = note(seen, "role") { ", as " b { bdi { (role) } } } }
                @if let Some(isolation) = note(seen, "isolation") { dt { "Works in" } dd { (isolation) } }
                @if !expected.is_empty() { dt { "Expected" } dd { (expected.join(", ").replace('_', " ")) } }
                @if !granted.is_empty() { dt { "Granted" } dd { (granted.join(", ").replace('_', " ")) } }
                dt { "Runner" }
                dd {
                    @match &job.runner_id {
                        Some(runner) => {
                            (reference(room, &pointer(runner)))
                            @if let Some(executor) = job.claim_executor { " with " (executor) }
                            @if let Some(end) = job.claim_expires_at_ms { ", claim " (until(look, Timestamp::from_millis(end))) }
                        }
                        None if job.status == Status::Queued => span.quiet { "none yet" },
                        None => span.quiet { "none" },
                    }
                }
                @for event in job.attention.iter().chain(&job.question) {
                    dt { "Wants" } dd { (event.kind.as_str().replace('_', " ")) " " (reference(room, &event.reference.to_string())) ": " bdi { (event.message) } }
                }
                @if job.status.is_active() && !job.progress.is_empty() { dt { "Progress" } dd { (progress(&job.progress, job.status)) } }
                dt { "Its agent" } dd { (seen.opened.agent.connection.why) }
                @if let Some(usage) = &seen.opened.agent.usage {
                    dt { "Used" } dd { (usage.input_tokens) " tokens in, " (usage.output_tokens) " out, in " (seen.opened.agent.turns) @if seen.opened.agent.turns == 1 { " turn" } @else { " turns" } }
                }
            }
            @if let Some(summary) = &job.summary { (prose(summary)) }
            @if !job.refs.is_empty() { p { "Refs: " @for one in &job.refs { (reference(room, &one.to_string())) " " } } }
            (actions(look, seen, &id))
            details.cli-of { summary { "In a terminal" } p { (cli(&look.command(&format!("job open {id}"), room))) " " (cli(&look.command(&format!("job tail {id}"), room))) } }
            (raw("Raw", job))
        }
    }
}

fn actions(look: &Look<'_>, seen: &Seen, id: &str) -> Markup {
    if !look.may_act() {
        return html! {};
    }
    let (job, room) = (&seen.job, &seen.room);
    let form = Form::of("jobs.cancel", format!("{id} is canceled.")).class("stack");
    html! {
        div.tools {
            @if job.status != Status::Canceled { (send_back(look, seen, id)) }
            @if job.status != Status::Queued { (requeue(look, room, id)) }
            @if job.status.is_active() {
                details.act {
                    summary { "Cancel" }
                    (form.with("room_id", room).with("job", id).body(look, html! {
                        label { span { "Reason" } input name="reason" required maxlength="400" placeholder="Why it is not wanted any more"; }
                        p { button.danger type="submit" { "Cancel " (id) } }
                    }))
                }
            }
        }
    }
}

/// A review, which gives the job another slice.
fn send_back(look: &Look<'_>, seen: &Seen, id: &str) -> Markup {
    let form = Form::of("jobs.send_back", format!("{id} is sent back.")).class("stack");
    html! {
        details.act {
            summary { "Send back" }
            (form.with("room_id", &seen.room).with("job", id).body(look, html! {
                label { span { "Review" } textarea name="message" required rows="3" maxlength="400" placeholder="What is to be done differently" {} }
                p.quiet { @if seen.job.status.is_active() { "It gets another slice, which is told this." } @else { "It goes on from its own result, in another slice that is told this." } }
                p { button type="submit" { "Send back " (id) } }
            }))
        }
    }
}
