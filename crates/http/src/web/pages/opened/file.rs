//! Files that were kept, and context packs.

use baton_app::commands::{
    library::ArtifactView,
    open::{OpenedArtifact, OpenedPack, Passage},
};
use baton_core::{
    context::{ContextPack, Remark},
    library::ArtifactKind,
};
use maud::{Markup, html};

use super::{
    facts::{bytes, facts, part},
    page::View,
    passage,
};
use crate::web::parts::{Extent, ago, cli, copy, diff, prose, reference};

pub(super) fn artifact(view: &View<'_>, opened: &OpenedArtifact) -> Markup {
    html! {
        article.card {
            h2 { bdi { (opened.artifact.name) } }
            (about(view, &opened.artifact))
            @if let Some(why) = &opened.unavailable { p.notice { (why) } }
        }
        @if let Some(content) = &opened.content { section.content aria-label="What is in it" { (inside(view, &opened.artifact, content)) } }
    }
}

/// What is in a file: a diff as such, if all of it or its beginning is here.
fn inside(view: &View<'_>, file: &ArtifactView, content: &Passage) -> Markup {
    match file.kind {
        ArtifactKind::Diff if content.from == 0 => {
            let command = view.look.command(&format!("open {}", file.reference), view.sight.id());
            html! { (diff(&content.text, Extent::Page, &cli(&command))) (passage::turning(view, content)) }
        }
        _ => passage::text(view, content),
    }
}

fn about(view: &View<'_>, file: &ArtifactView) -> Markup {
    let to = |id: Option<String>| id.map(|id| reference(view.room(), &id));
    facts(&[
        ("Sort", Some(html! { (file.kind) ", " (bytes(file.bytes)) })),
        ("Kept by", Some(html! { (view.sight.agent(&file.created_by)) ", " (ago(view.look, file.created_at)) })),
        ("Of", file.node.as_ref().map(|node| view.sight.agent(node))),
        ("Job", to(file.job.map(|job| job.to_string()))),
        ("Turn", to(file.turn.map(|turn| turn.to_string()))),
        (
            "SHA-256",
            Some(
                html! { code { (file.sha256.chars().take(12).collect::<String>()) "…" } (copy(&file.sha256, "hash")) },
            ),
        ),
    ])
}

pub(super) fn pack(view: &View<'_>, opened: &OpenedPack) -> Markup {
    html! {
        article.card {
            h2 { "For " bdi { (opened.pack.as_ref().map_or("nobody known", |pack| pack.node_id.as_str())) } }
            p.quiet { (opened.tokens) " tokens" }
            (about(view, &opened.artifact))
            @if let Some(why) = &opened.unavailable { p.notice { (why) } }
            @if let Some(pack) = &opened.pack { (said(view, pack)) }
        }
    }
}

/// What a pack tells its agent.
fn said(view: &View<'_>, pack: &ContextPack) -> Markup {
    let points = |items: &[String]| html! { ul.points { @for item in items { li dir="auto" { (item) } } } };
    let remarks = |items: &[Remark]| html! { ul.points { @for item in items { li dir="auto" { (item.text) @if !item.from.is_empty() { " " span.quiet { bdi { (item.from) } } } } } } };
    let files = html! {
        ul.lines role="list" { @for file in &pack.relevant_files { li { code { bdi { (file.path) } } @if let Some(summary) = &file.summary { " " span.quiet dir="auto" { (summary) } } } } }
    };
    let inputs = html! {
        ul.lines role="list" {
            @for input in &pack.inputs {
                li { (reference(view.room(), &input.payload_id)) @if let Some(from) = &input.from { " from " bdi { (from) } } @if let Some(message) = &input.message { ": " span dir="auto" { (message) } } }
            }
        }
    };
    let left = html! { ul.lines role="list" { @for file in &pack.artifacts { li { (reference(view.room(), &file.id)) " " span.quiet { (file.kind) } } } } };
    html! {
        @if let Some(goal) = &pack.goal { (part("Goal", true, prose(goal))) }
        (part("Done when", !pack.definition_of_done.is_empty(), points(&pack.definition_of_done)))
        (part("What it was sent", !pack.inputs.is_empty(), inputs))
        (part("Open questions", !pack.open_questions.is_empty(), remarks(&pack.open_questions)))
        (part("Do not", !pack.do_not.is_empty(), remarks(&pack.do_not)))
        (part("Files to know", !pack.relevant_files.is_empty(), files))
        (part("What work left", !pack.artifacts.is_empty(), left))
    }
}
