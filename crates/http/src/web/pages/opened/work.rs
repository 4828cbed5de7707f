//! Jobs, what happened to them, tasks, and runners.

use baton_app::commands::open::{OpenedEvent, OpenedJob, OpenedRunner, OpenedTask};
use baton_core::{runner::pointer, task::State};
use maud::{Markup, html};

use super::{
    facts::{artifacts, cards, facts, jobs, more, refs},
    page::View,
    passage,
};
use crate::web::{
    at::path,
    parts::{ago, delegate_link, raw, reference, until},
};

pub(super) fn job(view: &View<'_>, opened: &OpenedJob) -> Markup {
    let job = &opened.job;
    html! {
        article.card {
            h2 dir="auto" { (job.title) }
            p { span.badge { (job.status) } " " a href=(path(&["rooms", view.room().as_str(), "jobs", &job.job.to_string()])) { "All about this job" } }
            (facts(&[
                ("Asked by", Some(html! { (view.sight.agent(&job.created_by)) ", " (ago(view.look, job.created_at)) })),
                ("Task", job.task.map(|task| reference(view.room(), &task.to_string()))),
                ("Runner", job.runner_id.as_ref().map(|runner| reference(view.room(), &pointer(runner)))),
                ("Last", Some(html! { (reference(view.room(), &job.last.reference.to_string())) " " span dir="auto" { (job.last.message) } })),
                ("Points to", refs(view, &job.refs)),
            ]))
            (artifacts(view, &opened.artifacts))
            (cards(view, &opened.cards))
        }
    }
}

pub(super) fn event(view: &View<'_>, opened: &OpenedEvent) -> Markup {
    let event = &opened.event;
    let job = event.reference.to_string();
    let job = job.split('@').next().unwrap_or_default();
    html! {
        article.card {
            h2 { (reference(view.room(), job)) " " span dir="auto" { (opened.title) } }
            p { span.badge { (event.kind) } " " span.quiet { "the job is " (opened.status) } }
            (passage::prose(view, &opened.text))
            (facts(&[
                ("By", Some(html! { (view.sight.agent(&event.by)) ", " (ago(view.look, event.at)) })),
                ("Done", event.percent.map(|percent| html! { (percent) "%" })),
                ("Points to", refs(view, &event.refs)),
            ]))
            @if !event.meta.is_empty() { (raw("What was noted with it", &event.meta)) }
        }
    }
}

pub(super) fn task(view: &View<'_>, opened: &OpenedTask) -> Markup {
    let task = &opened.task;
    let id = task.task.to_string();
    let open = view.sight.is_open() && task.state != State::Done;
    let list = |items: &[String]| {
        (!items.is_empty()).then(|| html! { ul.points { @for item in items { li dir="auto" { (item) } } } })
    };
    html! {
        article.card {
            h2 dir="auto" { (task.title) }
            p.tools { span.badge { (task.state.as_str().replace('_', " ")) } @if open { (delegate_link(view.look, &[("task", &id)])) } }
            (facts(&[
                ("Assigned to", task.assignee.as_ref().map(|agent| view.sight.agent(agent))),
                ("Done when", task.definition_of_done.as_ref().map(|text| html! { span dir="auto" { (text) } })),
                ("Made sure by", list(&task.verification)),
                ("Where", list(&task.scopes)),
                ("Written by", Some(html! { (view.sight.agent(&task.created_by)) ", " (ago(view.look, task.created_at)) })),
                ("Changed", Some(ago(view.look, task.updated_at))),
            ]))
            (jobs(view, &opened.jobs))
            (cards(view, &opened.cards))
            (more(&opened.more))
        }
    }
}

pub(super) fn runner(view: &View<'_>, opened: &OpenedRunner) -> Markup {
    html! {
        article.card {
            h2 { bdi { (opened.runner_id) } }
            p { span.badge { (opened.standing) } @if opened.retired { " " span.badge { "signed off" } } }
            (facts(&[
                ("Lease", (!opened.retired).then(|| until(view.look, opened.lease_expires_at))),
                ("Spoken for by", Some(view.sight.agent(&opened.agent_id))),
            ]))
            @if let Some(capabilities) = &opened.capabilities { (raw("What it can do", capabilities)) }
            (jobs(view, &opened.jobs))
        }
    }
}
