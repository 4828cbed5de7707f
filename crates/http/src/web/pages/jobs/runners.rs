//! Who does jobs: whether they are there, until when that is certain, what they are at, and what does not fit.

use baton_app::commands::jobs::{OverviewDiag, OverviewResult, OverviewRunner, RunnerCounts};
use baton_core::{
    ids::RoomId,
    job::Executor,
    runner::{Capabilities, Standing, Trouble, TroubleKind, pointer},
};
use maud::{Markup, html};

use crate::web::{
    at::path_with,
    form::Form,
    look::Look,
    parts::{cli, copy, empty, reference, room_name, until},
};

/// The runners, and what does not fit together.
pub(super) fn runners(look: &Look<'_>, counts: &RunnerCounts, seen: &OverviewResult, here: Option<&RoomId>) -> Markup {
    let RunnerCounts { live, idle, offline } = counts;
    let called = |id: &RoomId| {
        let room = seen.rooms.iter().find(|room| room.room_id == *id).filter(|_| here.is_none())?;
        Some(room_name(room.name.as_deref(), room.canonical_path.as_deref(), id))
    };
    html! {
        h2 { "Runners" " " span.quiet { (live) " at work, " (idle) " idle, " (offline) " offline" } }
        @if !seen.diagnostics.is_empty() {
            ul.diagnostics aria-label="What does not fit" { @for diag in &seen.diagnostics { (diagnosis(diag)) } }
        }
        @if seen.runners.is_empty() {
            (empty("No runner is there", html! {
                p { "A runner does jobs with the agent programs of its machine. Start one in a workspace: " (cli(&look.store_command("run"))) }
            }))
        } @else {
            ul.runners { @for runner in &seen.runners { (one(look, runner, called(&runner.room_id).as_deref())) } }
        }
    }
}

fn one(look: &Look<'_>, runner: &OverviewRunner, room: Option<&str>) -> Markup {
    let id = runner.runner_id.as_str();
    let name = pointer(&runner.runner_id);
    let (dot, words) = match runner.status {
        Standing::Live => ("good", "at work"),
        Standing::Idle => ("talk", "idle"),
        Standing::Offline => ("alarm", "offline"),
    };
    html! {
        li.card id={ "runner-" (runner.room_id) "-" (id) } data-runner=(id) data-standing=(runner.status) {
            p.tools {
                span class={ "dot " (dot) } aria-hidden="true" {}
                a href=(path_with(&["rooms", runner.room_id.as_str(), "open"], &[("ref", &name)])) { b { bdi { (id) } } }
                (copy(&name, "ref")) span { (words) }
                @if let Some(room) = room { span.quiet { "in " bdi { (room) } } }
            }
            p.quiet { "lease " (until(look, runner.lease_expires_at)) }
            p {
                @match (runner.jobs.as_slice(), runner.status) {
                    ([], Standing::Offline) => span.quiet { "was at nothing" },
                    ([], _) => span.quiet { "waits for a job" },
                    (jobs, status) => {
                        @if status == Standing::Offline { "was at " } @else { "at " }
                        @for job in jobs { (reference(&runner.room_id, &job.to_string())) " " }
                    }
                }
            }
            @match &runner.capabilities { Some(can) => (abilities(look, runner, can)), None => p.quiet { "It did not say what it can do." } }
        }
    }
}

/// Why a program is not used, and what to do about it.
fn in_trouble(look: &Look<'_>, runner: &OverviewRunner, executor: Executor, trouble: &Trouble) -> Markup {
    let is_missing = trouble.kind == TroubleKind::Missing;
    let done = format!("{} tries {executor} again.", runner.runner_id);
    let form = Form::of("jobs.runner.reset", done).class("inline").with("room_id", &runner.room_id);
    let form = form.with("runner_id", &runner.runner_id).with("executor", executor);
    html! {
        p.trouble data-trouble=(trouble.kind) {
            @if !is_missing { b { "! " } }
            bdi { (trouble.words(executor)) } " "
            @match trouble.next_probe_at {
                Some(next) => { "It is tried again " (until(look, next)) "." },
                None => {}
            }
        }
        p.quiet { (trouble.kind.remedy(executor)) }
        @if !is_missing && look.may_act() { (form.body(look, html! { button type="submit" { "Try it now" } })) }
    }
}

fn abilities(look: &Look<'_>, runner: &OverviewRunner, can: &Capabilities) -> Markup {
    html! {
        ul.abilities {
            @for ability in &can.executors {
                li {
                    code { (ability.executor) } " " span.quiet { (ability.profiles.iter().map(|profile| profile.as_str()).collect::<Vec<_>>().join(", ")) }
                    @if let Some(trouble) = &ability.trouble { (in_trouble(look, runner, ability.executor, trouble)) }
                }
            }
        }
        p.quiet {
            "up to " (can.max_parallel) @if can.max_parallel == 1 { " job at a time" } @else { " jobs at a time" }
            @if can.supports_artifacts { ", keeps files" }
            @if let Some(policy) = &can.sandbox_policy { ", " bdi { (policy) } }
        }
    }
}

fn diagnosis(diag: &OverviewDiag) -> Markup {
    let kind = diag.kind;
    html! {
        li.card.alarm data-diagnosis=(kind) {
            p {
                b { "! " }
                @if let Some(runner) = &diag.runner_id { b { bdi { (runner) } } " " }
                (kind.meaning())
                @if let Some(job) = diag.job { ": " (reference(&diag.room_id, &job.to_string())) }
                "."
            }
            @if let Some(particulars) = &diag.particulars { p { bdi { (particulars) } } }
            p.quiet { (kind.remedy()) }
        }
    }
}
