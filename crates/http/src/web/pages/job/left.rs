//! The newest diff that a job left.

use baton_app::{
    Failure,
    commands::open::{Open, OpenInput, What},
};
use baton_core::{ids::RoomId, library::ArtifactKind};
use maud::{Markup, html};

use super::page::Seen;
use crate::web::{
    look::Look,
    parts::{Extent, ago, diff, reference},
};

/// How often the store is asked for more of a diff.
const ASKED: usize = 10;

pub(super) fn latest_diff(look: &Look<'_>, seen: &Seen) -> Result<Markup, Failure> {
    let Some(newest) = seen.artifacts.iter().find(|artifact| artifact.kind == ArtifactKind::Diff) else {
        return Ok(
            html! { h2 { "Diff" } p.quiet { "It left no diff yet. One is kept at the end of each slice that changed something." } },
        );
    };
    let name = newest.reference.to_string();
    let whole = html! { p { "All of it: " (reference(&seen.room, &name)) } };
    Ok(html! {
        h2 { "Diff" }
        p.quiet { (reference(&seen.room, &name)) " · " (ago(look, newest.created_at)) @if let Some(turn) = newest.turn { " · " (reference(&seen.room, &turn.to_string())) } }
        @match text(look, &seen.room, &name)? {
            Ok(text) => (diff(&text, Extent::Page, &whole)),
            Err(why) => p.notice { (why) },
        }
    })
}

/// What is in a file, or why that cannot be shown.
fn text(look: &Look<'_>, room: &RoomId, name: &str) -> Result<Result<String, String>, Failure> {
    let (mut whole, mut offset) = (String::new(), None);
    for _ in 0..ASKED {
        let input = OpenInput { id: name.to_owned(), offset, workspace: Some(room.to_string()) };
        let What::Artifact(opened) = look.ask::<Open>(input)?.what else { break };
        let Some(passage) = opened.content else { return Ok(Err(opened.unavailable.unwrap_or_default())) };
        whole.push_str(&passage.text);
        let Some(next) = passage.next_offset.and_then(|next| i64::try_from(next).ok()) else { break };
        offset = Some(next);
    }
    Ok(Ok(whole))
}
