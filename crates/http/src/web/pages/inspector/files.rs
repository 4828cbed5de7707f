//! The files that it left, and the diffs among them.

use baton_app::{
    Failure,
    commands::{agent::Section, library::ArtifactView},
};
use maud::{Markup, html};

use super::view::{View, none, part};
use crate::web::parts::{Extent, ago, diff, reference};

/// Diffs that are read for one page.
const DIFFS: usize = 3;

pub(super) fn diffs(view: &View<'_>) -> Result<Markup, Failure> {
    let all = &view.shown.diffs;
    let mut shown = Vec::new();
    for file in all.iter().take(DIFFS) {
        shown.push((file, read(view, file)?));
    }
    let body = html! {
        @if all.is_empty() { (none("It left no diff yet.")) }
        @for (file, text) in &shown { article id={ "diff-" (file.reference) } { (line(view, file)) (text) } }
        @if all.len() > DIFFS { h3 { "Older" } ul.lines role="list" { @for file in &all[DIFFS..] { li { (line(view, file)) } } } }
        (view.turning("diffs", Section::Diffs))
    };
    Ok(part("diffs", "Diffs", body))
}

fn read(view: &View<'_>, file: &ArtifactView) -> Result<Markup, Failure> {
    let whole = html! { a href=(view.opened(&file.reference.to_string())) { "All of it" } "." };
    let Some(opened) = view.file(&file.reference)? else { return Ok(html! {}) };
    Ok(html! {
        @if let Some(content) = &opened.content {
            (diff(&content.text, Extent::Glance, &whole))
            @if content.next_offset.is_some() { p.diff-cut { "It is longer than what was read here. " (whole) } }
        }
        @if let Some(why) = &opened.unavailable { p.quiet { (why) } }
    })
}

pub(super) fn artifacts(view: &View<'_>) -> Markup {
    let all = &view.shown.artifacts;
    let body = html! {
        @if all.is_empty() { (none("It left no file yet.")) }
        ul.lines role="list" { @for file in all { li data-row id={ "file-" (file.reference) } { (line(view, file)) } } }
        (view.turning("artifacts", Section::Artifacts))
    };
    part("artifacts", "Files", body)
}

fn line(view: &View<'_>, file: &ArtifactView) -> Markup {
    html! {
        p {
            (reference(view.room(), &file.reference.to_string())) " " bdi { (file.name) } " "
            span.quiet {
                (file.kind) ", " (file.bytes) " bytes, " (ago(view.look, file.created_at))
                @if let Some(turn) = file.turn { ", of " (reference(view.room(), &turn.to_string())) }
                @if file.dropped_at.is_some() { ", given up" }
            }
        }
    }
}
