//! What is shown of many things alike: facts in a list, references, files, cards and jobs in a line each.

use baton_app::commands::{
    library::{ArtifactView, CardView},
    open::JobLine,
};
use baton_core::reference::Reference;
use maud::{Markup, html};

use super::page::View;
use crate::web::parts::{ago, reference};

/// A list of facts. What is not known is left out.
pub(super) fn facts(all: &[(&str, Option<Markup>)]) -> Markup {
    html! { dl.facts { @for (name, fact) in all { @if let Some(fact) = fact { div { dt { (name) } dd { (fact) } } } } } }
}

/// References, as links. A receipt is only words.
pub(super) fn refs(view: &View<'_>, all: &[Reference]) -> Option<Markup> {
    let one = |one: &Reference| match one.is_stable() {
        true => reference(view.room(), &one.to_string()),
        false => html! { code { bdi { (one) } } },
    };
    (!all.is_empty()).then(|| html! { ul.refs role="list" { @for each in all { li { (one(each)) } } } })
}

/// A part under a heading, if there is anything in it.
pub(super) fn part(heading: &str, is_there: bool, body: Markup) -> Markup {
    html! { @if is_there { section { h3 { (heading) } (body) } } }
}

pub(super) fn artifacts(view: &View<'_>, all: &[ArtifactView]) -> Markup {
    let body = html! {
        ul.lines role="list" {
            @for file in all {
                li data-row {
                    (reference(view.room(), &file.reference.to_string())) " " bdi { (file.name) } " "
                    span.quiet { (bytes(file.bytes)) ", " (ago(view.look, file.created_at)) }
                }
            }
        }
    };
    part("Files", !all.is_empty(), body)
}

pub(super) fn cards(view: &View<'_>, all: &[CardView]) -> Markup {
    let body = html! {
        ul.lines role="list" {
            @for card in all {
                li data-row { (reference(view.room(), &card.card.to_string())) " " span.badge { (card.kind) } " " span dir="auto" { (card.title) } }
            }
        }
    };
    part("Cards", !all.is_empty(), body)
}

pub(super) fn jobs(view: &View<'_>, all: &[JobLine]) -> Markup {
    let body = html! {
        ul.lines role="list" {
            @for job in all {
                li data-row { (reference(view.room(), &job.job.to_string())) " " span.badge { (job.status) } " " span dir="auto" { (job.title) } }
            }
        }
    };
    part("Jobs", !all.is_empty(), body)
}

/// What was left out, and how an agent gets it.
pub(super) fn more(all: &[String]) -> Markup {
    html! { @if !all.is_empty() { ul.quiet role="list" { @for one in all { li { (one) } } } } }
}

/// A size, as people say it.
pub(super) fn bytes(bytes: u64) -> String {
    match bytes {
        ..1_024 => format!("{bytes} bytes"),
        1_024..1_048_576 => format!("{} KiB", bytes.div_ceil(1_024)),
        _ => format!("{} MiB", bytes.div_ceil(1_048_576)),
    }
}
