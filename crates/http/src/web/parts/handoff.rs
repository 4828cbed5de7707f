//! A handoff, to be read.

use baton_core::{
    handoff::{Artifact, ArtifactRole, Handoff},
    ids::RoomId,
    reference::Reference,
};
use maud::{Markup, html};

use super::{copy, prose, reference};

/// A handoff, whole.
pub(in crate::web) fn handoff(room: &RoomId, handoff: &Handoff) -> Markup {
    html! {
        dl.handoff {
            div { dt { "Status" } dd { (prose(&handoff.status)) } }
            div { dt { "Next action" } dd { (prose(&handoff.next_action)) } }
            @if !handoff.artifacts.is_empty() {
                div { dt { "Artifacts" } dd { ul.artifacts { @for one in &handoff.artifacts { li { (artifact(room, one)) } } } } }
            }
            (list("Open questions", &handoff.open_questions))
            (list("Do not", &handoff.do_not))
            @if let Some(pack) = &handoff.context_ref { div { dt { "Context" } dd { (reference(room, pack)) } } }
        }
    }
}

fn list(heading: &str, items: &[String]) -> Markup {
    html! {
        @if !items.is_empty() {
            div { dt { (heading) } dd { ul.points { @for item in items { li dir="auto" { (item) } } } } }
        }
    }
}

fn artifact(room: &RoomId, artifact: &Artifact) -> Markup {
    let kept = artifact.path.parse::<Reference>().is_ok_and(|reference| reference.is_stable());
    let lines = match artifact.lines {
        Some([first, last]) if first == last => format!(":{first}"),
        Some([first, last]) => format!(":{first}-{last}"),
        None => String::new(),
    };
    let place = format!("{}{lines}", artifact.path);
    html! {
        span.badge { (role(artifact.role)) } " "
        @if kept { (reference(room, &artifact.path)) } @else { span.ref { code { bdi { (place) } } (copy(&place, "path")) } }
        @if let Some(note) = &artifact.note { " " span.quiet dir="auto" { (note) } }
    }
}

const fn role(role: ArtifactRole) -> &'static str {
    match role {
        ArtifactRole::Examine => "examine",
        ArtifactRole::Review => "review",
        ArtifactRole::Edit => "edit",
        ArtifactRole::Context => "context",
        ArtifactRole::Output => "output",
    }
}
